import type { HistoryReader } from '../reader.ts'
import { everyProject } from '../visibility.ts'
import type { HistoryDatabase } from './session.ts'

/** A history in either database, for those who may know of all projects. */
export function sqlReader(db: HistoryDatabase): HistoryReader {
  return {
    visibility: everyProject,
    async ask(question) {
      try {
        return await question(db)
      } catch (error) {
        // Rows may contain a text that is not JSON.
        throw db.describe(error)
      }
    },
    snapshot: (question) => db.snapshot(question),
  }
}
