import { describeApprovals } from './approvals-contract.ts'
import { describeHistory, type Place } from './history-contract.ts'
import { emptyMemory, openMemoryHistory } from './model/memory-history.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describeReader } from './reader-contract.ts'

const makePlace = (): Place => {
  const memory = emptyMemory()
  return { open: (process) => openMemoryHistory(process, memory), dispose: async () => [] }
}

describeHistory('memory', makePlace)
describeReader('memory', makePlace)
describeApprovals('memory', makePlace)
describeOutbox('memory', makePlace)
