import { AuditError } from '../model/errors.ts'
import type { BrokenLink } from './chain/links.ts'
import { keepsSomething, type RetentionRules, reasonsToKeep } from './retention.ts'
import type { CommittedRun } from './sql/runs.ts'
import type { PlannedRun } from './upkeep.ts'

/** Runs that the history itself needs, and why. */
export type Need = readonly [reason: string, runs: Iterable<number | null>]

/** Runs with the reasons to keep each: the retention rules, then the history's own needs in their order. */
export function planRuns(runs: readonly CommittedRun[], keep: RetentionRules, needs: readonly Need[]): PlannedRun[] {
  const asked = reasonsToKeep(runs, keep)
  const needed = needs.map(([reason, numbers]) => ({ reason, numbers: new Set(numbers) }))
  return runs.map((run) => {
    const own = needed.filter(({ numbers }) => numbers.has(run.number)).map(({ reason }) => reason)
    return { ...run, reasons: [...(asked.get(run.number) ?? []), ...own] }
  })
}

/** SQL of violations that are active, or accepted: an acceptance may be revoked. `schema`: before the name of each table. */
export function mayBeCompared(schema: string): string {
  return `to_run IS NULL OR (resolution = 'accepted' AND fingerprint IN (SELECT fingerprint FROM ${schema}acceptance))`
}

/** @throws AuditError.usage */
export function refuseToKeepNothing(keep: RetentionRules): void {
  if (keepsSomething(keep)) return
  throw AuditError.usage('no --keep-* option given', {
    advice: 'name the runs to keep, as in --keep-daily 30 --keep-monthly 24; --dry-run shows what would go',
  })
}

/** @throws AuditError.failure when a link is broken: a checkpoint would vouch anew for altered rows */
export function refuseBroken(shown: string, broken: BrokenLink | undefined): void {
  if (broken === undefined) return
  throw AuditError.failure(`nothing was pruned: the history ${shown} does not verify: ${broken.text}`, {
    advice: 'run `hookdrift verify`, and see `hookdrift docs verify`',
  })
}

/** A worker that audits every minute does not prune every minute. */
const pauseMs = 20 * 3_600_000

/** `last`: when the history was pruned last (ISO 8601); null: never. */
export function isPruningDue(last: string | null, now: number): boolean {
  return last === null || now - Date.parse(last) >= pauseMs
}
