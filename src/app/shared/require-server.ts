import type { HistoryLocation } from '../../history/location.ts'
import type { PostgresServer } from '../../history/postgres-server.ts'
import { AuditError } from '../../model/errors.ts'

/**
 * The server of a history that workers share. `instead`: what to do without one.
 * @throws AuditError.usage when the history is a file
 */
export function requireServer(history: HistoryLocation, instead = 'remove `worker.shared`'): PostgresServer {
  if (history.kind === 'postgres') return history.server
  throw AuditError.usage(`the history ${history.shown} is a file, which workers cannot share`, {
    advice: `${instead}, or keep the history in PostgreSQL: \`hookdrift docs many-machines\``,
  })
}
