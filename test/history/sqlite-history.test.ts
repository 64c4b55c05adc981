import type { History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Place } from './contract-fixture.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { describeHistory } from './history-contract.ts'

const makePlace = (): Place => {
  const { file, remove } = temporaryDatabasePath()
  const opened: History[] = []
  return {
    expiryS: 12,
    open: async (process) => {
      const history = openSqliteHistory(file, process)
      opened.push(history)
      return history
    },
    dispose: async () => {
      for (const history of opened) await history.close()
      const faults = faultsOf(file)
      remove()
      return faults
    },
  }
}

describeHistory('SQLite', makePlace)
