import { emptyMemory, openMemoryHistory } from '../../src/history/memory-history.ts'
import type { Place } from './contract-fixture.ts'
import { describeHistory } from './history-contract.ts'

const makePlace = (): Place => {
  const memory = emptyMemory()
  return { open: (process) => openMemoryHistory(process, memory), dispose: async () => [] }
}

describeHistory('memory', makePlace)
