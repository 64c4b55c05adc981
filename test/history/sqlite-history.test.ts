import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { aDatabasePath, faultsOf } from './a-database.ts'
import { describeHistory } from './history-contract.ts'

describeHistory('SQLite', () => {
  const { file, remove } = aDatabasePath()
  return {
    open: (process) => openSqliteHistory(file, process),
    dispose: () => {
      const faults = faultsOf(file)
      remove()
      return faults
    },
  }
})
