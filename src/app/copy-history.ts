import type { HistoryRows, MovableHistory } from '../history/movable-history.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { copyRows } from '../history/table-rows.ts'
import type { Verification, VerificationRequest } from '../history/upkeep.ts'
import { AuditError } from '../model/errors.ts'
import { shellWord } from '../report/text/commands.ts'

export interface CopiedHistory {
  /** The last committed run. */
  readonly run: CommittedRun | null
  readonly rows: number
}

export interface CopyRequest extends VerificationRequest {
  /** Copies next to runs, and leaves the original in use: a backup. */
  readonly isSnapshot: boolean
}

/**
 * Copies a history with its ids, so that its chain stays what it is, and verifies it before and after. The copy counts
 * when it verifies; the original is then marked as moved, so that no run goes on in it.
 * @throws AuditError.usage when the target contains a history
 * @throws AuditError.busy when a run writes to the original, or when it was moved before
 * @throws AuditError.failure when the original or the copy does not verify
 */
export async function copyHistory(
  from: MovableHistory,
  to: MovableHistory,
  { isSnapshot, ...request }: CopyRequest,
): Promise<CopiedHistory> {
  if (from.displayName === to.displayName) {
    throw AuditError.usage(`${from.displayName} cannot be copied to itself`, { advice: 'name another place' })
  }
  const copy = async (original: HistoryRows) => {
    refuseBroken(await original.verify(request), {
      what: `nothing was copied: ${from.displayName} does not verify`,
      advice: `run \`hookdrift verify --history ${shellWord(from.displayName)}\`, and copy the last backup that verifies`,
    })
    const contains = async (run: number, chain: string) => (await original.chainOf(run)) === chain
    return to.fill({ rows: original.rows, contains, isMove: !isSnapshot }, async (target) => {
      const rows = await copyRows(original, target)
      const verification = await target.verify(request)
      refuseBroken(verification, {
        what: `the copy was removed: what ${to.displayName} returned does not verify`,
        advice: 'the original is unchanged; check the disk or the server of the new place, then copy again',
      })
      return { run: verification.run, rows }
    })
  }
  return isSnapshot ? from.snapshot(copy) : from.move(to.displayName, copy)
}

function refuseBroken({ ok, checks }: Verification, { what, advice }: { what: string; advice: string }): void {
  if (ok) return
  const failed = checks.find((check) => check.ok === false)
  throw AuditError.failure(`${what}: ${failed?.id}: ${failed?.detail}`, { advice })
}
