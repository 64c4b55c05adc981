import type { HistoryDatabase, Session, Transaction } from './sql/session.ts'
import { everyProject, type Visibility } from './visibility.ts'

/**
 * A history as its readers see it: committed runs, and of them the projects that they may know of. Every question is a
 * function in `sql/`, together with its statements. An answer "as of" a run never changes, so several questions about one
 * run agree while another run is being written.
 */
export interface HistoryReader {
  readonly visibility: Visibility
  /** Asks one short statement, which is consistent by itself. */
  ask<Answer>(question: (session: Session) => Promise<Answer>): Promise<Answer>
  /** Asks several statements, or a long one, of one state of the history. They cannot write. */
  snapshot<Answer>(question: (transaction: Transaction) => Promise<Answer>): Promise<Answer>
}

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
