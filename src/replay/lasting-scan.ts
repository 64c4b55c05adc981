import type { KeyedFinding } from '../audit/reconcile.ts'
import type { EvaluationOutcome } from '../policy/evaluation-outcome.ts'
import type { Policy } from '../policy/policy.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import type { Labels } from '../policy/selector.ts'

/** What a scan found that saw everything, and in which nothing differed from the one before. */
export interface LastingScan {
  readonly findings: readonly KeyedFinding[]
  readonly evaluation: EvaluationOutcome
  /** All that decides what is found, but for the versions, the labels and the time. */
  readonly context: string
  readonly labels: Labels
  /** Start of the run, and until when its findings hold: milliseconds since the epoch. */
  readonly at: number
  readonly until: number
}

interface ScanConclusion extends Pick<LastingScan, 'findings' | 'context' | 'labels'> {
  readonly ofProject: ProjectEvaluator
  /** Rules that were not asked. */
  readonly excluded: ReadonlyMap<string, string>
  readonly versions: readonly { readonly evaluation: { readonly until: number } | undefined }[]
  readonly waivers: Policy['waivers']
  readonly now: number
}

/** undefined where a rule could not evaluate, or must be asked in every run. */
export function keepLasting(scan: ScanConclusion): LastingScan | undefined {
  const { findings, context, labels, ofProject, excluded, versions, waivers, now } = scan
  const { outcome: evaluation, until: concludedUntil } = ofProject.resourceOutcome()
  const isClear =
    Object.keys(evaluation.failures).length === excluded.size && Object.keys(evaluation.doubts).length === 0
  if (!isClear) return undefined
  let until = concludedUntil
  for (const { evaluation } of versions) until = Math.min(until, evaluation?.until ?? Number.NEGATIVE_INFINITY)
  for (const waiver of waivers) if (waiver.until > now) until = Math.min(until, waiver.until)
  return until <= now ? undefined : { findings, evaluation, context, labels, at: now, until }
}

/** What a scan found before, where nothing that decides it has changed. A clock may have gone back since then. */
export function findLasting(
  lasting: LastingScan | undefined,
  { context, labels, now }: Pick<ScanConclusion, 'context' | 'labels' | 'now'>,
): LastingScan | undefined {
  if (lasting === undefined || lasting.labels !== labels || lasting.context !== context) return undefined
  return lasting.at <= now && now < lasting.until ? lasting : undefined
}
