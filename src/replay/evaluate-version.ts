import { dateValues, type ValueDates } from '../audit/date-values.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ActiveRule, Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import type { ReplayedVersion, VersionEvaluation } from './fleet-state.ts'

export interface ScanEvaluation {
  readonly evaluator: PolicyEvaluator
  readonly ofProject: ProjectEvaluator
  readonly labels: Labels
  readonly waivers: Policy['waivers']
  /** For what only earlier runs show. */
  readonly history: HistoryReader
  readonly run: CommittedRun
}

/** Evaluates versions, or only what may have changed since they were last evaluated. In their order. */
export async function evaluateVersions(
  versions: readonly ReplayedVersion[],
  scan: ScanEvaluation,
): Promise<readonly (readonly KeyedFinding[])[]> {
  const { evaluator, ofProject, labels, history, run } = scan
  const fresh = versions.filter(
    ({ evaluation: known }) => known === undefined || known.labels !== labels || known.at > run.startedAt,
  )
  const dates = await dateValues(
    fresh.map(({ resource }) => ({ resource, paths: evaluator.datesOf(resource) })),
    { before: run.number + 1, startedAt: run.startedAt },
    (points) => history.versionsAt(ofProject.project, points),
  )
  const datesOf = new Map(fresh.map((version, at) => [version, dates[at]]))
  return versions.map((version) => {
    const known = datesOf.has(version) ? undefined : version.evaluation
    return known === undefined ? evaluateAnew(version, datesOf.get(version), scan) : evaluateAgain(version, known, scan)
  })
}

function evaluateAgain(
  { resource }: ReplayedVersion,
  { lasting, timed, since }: VersionEvaluation,
  { ofProject }: ScanEvaluation,
): readonly KeyedFinding[] {
  if (timed.length === 0) return lasting
  const findings = timed.flatMap((rule) => ofProject.evaluateRule(rule, resource, since) ?? [])
  return findings.length === 0 ? lasting : [...lasting, ...findings.map(keyed)]
}

function evaluateAnew(
  version: ReplayedVersion,
  since: ValueDates | undefined,
  { evaluator, ofProject, labels, waivers, run }: ScanEvaluation,
): readonly KeyedFinding[] {
  const { resource } = version
  const lasting: KeyedFinding[] = []
  const today: KeyedFinding[] = []
  const timed: ActiveRule[] = []
  for (const active of ofProject.rulesFor(resource)) {
    evaluator.time.takeNextChange()
    const findings = ofProject.evaluateRule(active, resource, since)
    const asksTime = evaluator.time.takeNextChange() !== Number.POSITIVE_INFINITY
    const isTimed = asksTime || findings === undefined || waivers.some(({ covers }) => covers(active.rule.id))
    if (isTimed) timed.push(active)
    for (const finding of findings ?? []) (isTimed ? today : lasting).push(keyed(finding))
  }
  // Most versions have nothing of either kind: they share the empty lists.
  version.evaluation = {
    lasting: lasting.length === 0 ? none : lasting,
    timed: timed.length === 0 ? none : timed,
    since,
    labels,
    at: run.startedAt,
  }
  return [...lasting, ...today]
}

const none: readonly never[] = []
