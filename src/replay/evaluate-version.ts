import { dateValues, type VersionAt } from '../audit/date-values.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { CommittedRun, HistoryReader, Identity } from '../history/reader.ts'
import type { JsonObject } from '../model/json.ts'
import type { ProjectEvaluator } from '../policy/evaluate-project.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ActiveRule, Policy } from '../policy/policy.ts'
import type { Labels } from '../policy/selector.ts'
import type { ReplayedVersion } from './fleet-state.ts'

export interface ScanEvaluation {
  readonly evaluator: PolicyEvaluator
  readonly ofProject: ProjectEvaluator
  readonly labels: Labels
  readonly waivers: Policy['waivers']
  /** For what only earlier runs show. */
  readonly history: HistoryReader
  readonly run: CommittedRun
}

/** Evaluates a version, or only what may have changed since it was last evaluated. */
export async function evaluateVersion(
  version: ReplayedVersion,
  scan: ScanEvaluation,
): Promise<readonly KeyedFinding[]> {
  const { ofProject, labels } = scan
  const known = version.evaluation
  if (known === undefined || known.labels !== labels) return evaluateAnew(version, scan)
  if (known.timed.length === 0) return known.lasting
  const findings = known.timed.flatMap((rule) => ofProject.evaluateRule(rule, version.resource, known.since) ?? [])
  return findings.length === 0 ? known.lasting : [...known.lasting, ...findings.map(keyed)]
}

async function evaluateAnew(
  version: ReplayedVersion,
  { evaluator, ofProject, labels, waivers, history, run }: ScanEvaluation,
): Promise<readonly KeyedFinding[]> {
  const { resource } = version
  const { kind, uid, attributes } = resource
  const paths = evaluator.datesOf(resource)
  const versionAt = versionsAsOf(history, { project: ofProject.project, kind, uid }, run.number)
  const before = { before: run.number + 1, startedAt: run.startedAt }
  const since = paths.length === 0 ? undefined : await dateValues(attributes, paths, before, versionAt)
  const lasting: KeyedFinding[] = []
  const today: KeyedFinding[] = []
  const timed: ActiveRule[] = []
  for (const active of ofProject.rulesFor(resource)) {
    let asksTime = false
    const findings = ofProject.evaluateRule(active, resource, since, () => {
      asksTime = true
    })
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
  }
  return [...lasting, ...today]
}

const none: readonly never[] = []

/** The versions of a resource as of a run, read when the first is asked for. */
export function versionsAsOf(history: HistoryReader, identity: Identity, upTo: number): VersionAt {
  let spans: ReturnType<HistoryReader['versionsOf']> | undefined
  return async (run) => {
    spans ??= history.versionsOf(identity, upTo)
    const span = (await spans).findLast(({ fromRun, toRun }) => fromRun <= run && (toRun === null || toRun > run))
    if (span === undefined) return undefined
    // What we wrote ourselves.
    return { attributes: JSON.parse(span.body) as JsonObject, fromRun: span.fromRun, since: span.from }
  }
}
