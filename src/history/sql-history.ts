import { beginRun } from './draft/run-draft.ts'
import type { History } from './history.ts'
import type { ChannelClaims } from './outbox.ts'
import { sqlReader } from './reader.ts'
import { sqlAcceptances } from './sql/acceptances.ts'
import { sqlApprovals } from './sql/approvals.ts'
import type { HistoryBackend } from './sql/backend.ts'
import { sqlNotes } from './sql/notes.ts'
import { sqlOutbox } from './sql/outbox.ts'

/** A history in either database. */
export function sqlHistory(backend: HistoryBackend, claims: ChannelClaims): History {
  return {
    ...sqlReader(backend.db),
    ...sqlOutbox(backend, claims),
    ...sqlApprovals(backend),
    ...sqlAcceptances(backend),
    ...sqlNotes(backend),
    close: () => backend.db.close(),
    begin: (start) => beginRun(backend, start),
  }
}
