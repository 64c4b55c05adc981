import type { Place } from './contract-fixture.ts'
import { describeHistory } from './history-contract.ts'
import { emptyMemory, openMemoryHistory } from './model/memory-history.ts'

const makePlace = (): Place => {
  const memory = emptyMemory()
  return { expiryS: 12, open: async (process) => openMemoryHistory(process, memory), dispose: async () => [] }
}

describeHistory('memory', makePlace)
