import type { KeyedFinding } from '../audit/reconcile.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { EvaluationOutcome } from '../policy/evaluation-outcome.ts'
import type { Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'

/** What a scan found that saw everything, and in which nothing differed from the one before. */
export interface SettledScan {
  readonly findings: readonly KeyedFinding[]
  readonly evaluation: EvaluationOutcome
  /** All that decides what is found, but for the versions, the labels and the time. */
  readonly circumstances: string
  readonly labels: Labels
  /** Start of the run, and until when its findings hold: milliseconds since the epoch. */
  readonly at: number
  readonly until: number
}

interface Settling extends Pick<SettledScan, 'findings' | 'circumstances' | 'labels'> {
  readonly ofProject: ProjectEvaluator
  /** Rules that were not asked. */
  readonly excluded: ReadonlyMap<string, string>
  readonly versions: readonly { readonly evaluation: { readonly until: number } | undefined }[]
  readonly waivers: Policy['waivers']
  readonly now: number
}

/** undefined where a rule could not evaluate, or must be asked in every run. */
export function settle(scan: Settling): SettledScan | undefined {
  const { findings, circumstances, labels, ofProject, excluded, versions, waivers, now } = scan
  const { outcome: evaluation, until: concluded } = ofProject.resourceOutcome()
  const isClear =
    Object.keys(evaluation.failures).length === excluded.size && Object.keys(evaluation.doubts).length === 0
  if (!isClear) return undefined
  let until = concluded
  for (const { evaluation } of versions) until = Math.min(until, evaluation?.until ?? Number.NEGATIVE_INFINITY)
  for (const waiver of waivers) if (waiver.until > now) until = Math.min(until, waiver.until)
  return until <= now ? undefined : { findings, evaluation, circumstances, labels, at: now, until }
}

/** What a scan found before, where nothing that decides it has changed. A clock may have gone back since then. */
export function findSettled(
  settled: SettledScan | undefined,
  { circumstances, labels, now }: Pick<Settling, 'circumstances' | 'labels' | 'now'>,
): SettledScan | undefined {
  if (settled === undefined || settled.labels !== labels || settled.circumstances !== circumstances) return undefined
  return settled.at <= now && now < settled.until ? settled : undefined
}
