import type { History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { describeApprovals } from './approvals-contract.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { describeHistory, type Place } from './history-contract.ts'
import { describeOutbox } from './outbox-contract.ts'
import { describeReader } from './reader-contract.ts'

const makePlace = (): Place => {
  const { file, remove } = temporaryDatabasePath()
  const opened: History[] = []
  return {
    open: (process) => {
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
describeReader('SQLite', makePlace)
describeApprovals('SQLite', makePlace)
describeOutbox('SQLite', makePlace)
