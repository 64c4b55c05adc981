import { emptyMemory, openMemoryHistory } from '../../src/history/memory-history.ts'
import { describeHistory } from './history-contract.ts'

describeHistory('memory', () => {
  const memory = emptyMemory()
  return { open: (process) => openMemoryHistory(process, memory), dispose: async () => [] }
})
