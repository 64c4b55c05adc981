import type { PostgresServer } from '../postgres-server.ts'
import { isPruningDue, planPruning, pruneHistory, refuseToKeepNothing } from '../sql/prune-history.ts'
import { lastPruning } from '../sql/runs.ts'
import type { HistoryUpkeep, PruneRequest, Pruning } from '../upkeep.ts'
import { connect, upkeepPatience } from './connect.ts'
import type { SharedProcess } from './lease.ts'
import { requireHistory } from './migrate.ts'
import { postgresBackend } from './postgres-backend.ts'

/** What this backend leaves to its caller. */
export type UpkeepOptions = Pick<HistoryUpkeep, 'verify' | 'chainOf' | 'backUp'>

/** The upkeep of the history in one schema of a PostgreSQL database. */
export function postgresUpkeep(
  server: PostgresServer,
  owner: SharedProcess,
  { verify, chainOf, backUp }: UpkeepOptions,
): HistoryUpkeep {
  const db = connect(server, upkeepPatience)
  const prune = async (request: PruneRequest): Promise<Pruning> => {
    const { plan, bytes } = await pruneHistory(postgresBackend(db, owner), request)
    return { plan, freed: { bytes: 0, freeBytes: bytes } }
  }
  return {
    verify,
    chainOf,
    backUp,
    async planPruning(keep) {
      refuseToKeepNothing(keep)
      await requireHistory(db)
      return db.snapshot((session) => planPruning(session, keep))
    },
    async prune(request) {
      await requireHistory(db)
      return prune(request)
    },
    async pruneWhenDue(request) {
      await requireHistory(db)
      return isPruningDue(await lastPruning(db), owner.now()) ? prune(request) : undefined
    },
    close: () => db.close(),
  }
}
