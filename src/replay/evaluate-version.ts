import { dateValues, type ValueDates } from '../audit/date-values.ts'
import { type KeyedFinding, keyed } from '../audit/reconcile.ts'
import type { HistoryReader } from '../history/reader.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { readVersionsAt } from '../history/sql/state-at.ts'
import { chunks } from '../model/chunks.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import type { BoundRules } from '../policy/rule-sets.ts'
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

/** Versions whose past is read at once. */
const evaluatedAtOnce = 100

/** Evaluates versions, or only what may have changed since they were last evaluated: all that is found in them. */
export async function evaluateVersions(
  versions: readonly ReplayedVersion[],
  scan: ScanEvaluation,
): Promise<KeyedFinding[]> {
  const { evaluator, ofProject, labels, history, run } = scan
  const now = Date.parse(run.startedAt)
  const found: KeyedFinding[] = []
  const fresh: ReplayedVersion[] = []
  for (const version of versions) {
    const known = version.evaluation
    if (known === undefined || known.labels !== labels || known.at > now) fresh.push(version)
    else found.push(...(holdsAt(known, now) ? known : askAgain(version, known, scan, now)).findings)
  }
  for (const some of chunks(fresh, evaluatedAtOnce)) {
    const dates = await dateValues(
      some.map(({ resource }) => ({ resource, paths: evaluator.datesOf(resource) })),
      { before: run.number + 1, startedAt: run.startedAt },
      (points) => readVersionsAt(history, ofProject.project, points),
    )
    for (const [at, version] of some.entries()) found.push(...evaluateAnew(version, dates[at], scan, now).findings)
  }
  return found
}

/** Whether rules would find now what they found when they were asked last. A clock may have gone back since then. */
function holdsAt({ timed, askedAt, until }: VersionEvaluation, now: number): boolean {
  return timed.length === 0 || (askedAt <= now && now < until)
}

function askAgain(version: ReplayedVersion, known: VersionEvaluation, scan: ScanEvaluation, now: number) {
  const { lasting, timed, since } = known
  const findings = [...lasting]
  let until = Number.POSITIVE_INFINITY
  for (const rule of timed) {
    const asked = ask(rule, version, since, scan)
    until = Math.min(until, asked.until)
    findings.push(...asked.findings)
  }
  version.evaluation = { ...known, findings: findings.length === 0 ? none : findings, askedAt: now, until }
  return version.evaluation
}

function evaluateAnew(
  version: ReplayedVersion,
  since: ValueDates | undefined,
  scan: ScanEvaluation,
  now: number,
): VersionEvaluation {
  const lasting: KeyedFinding[] = []
  const today: KeyedFinding[] = []
  const timed: BoundRules<'resource'>[] = []
  let until = Number.POSITIVE_INFINITY
  for (const rule of scan.ofProject.rulesFor(version.resource)) {
    const asked = ask(rule, version, since, scan)
    const isTimed = asked.until !== Number.POSITIVE_INFINITY
    if (isTimed) timed.push(rule)
    until = Math.min(until, asked.until)
    ;(isTimed ? today : lasting).push(...asked.findings)
  }
  const findings = today.length === 0 ? lasting : [...lasting, ...today]
  // Most versions have nothing of any kind: they share the empty list.
  version.evaluation = {
    lasting: lasting.length === 0 ? none : lasting,
    timed: timed.length === 0 ? none : timed,
    findings: findings.length === 0 ? none : findings,
    until,
    askedAt: now,
    since,
    labels: scan.labels,
    at: now,
  }
  return version.evaluation
}

/** `until`: when the rule may find something else; minus infinity where it is asked in every run. */
function ask(
  rule: BoundRules<'resource'>,
  { resource }: ReplayedVersion,
  since: ValueDates | undefined,
  { evaluator, ofProject, waivers }: ScanEvaluation,
): { readonly findings: readonly KeyedFinding[]; readonly until: number } {
  evaluator.time.takeNextChange()
  const findings = ofProject.evaluateRule(rule, resource, since)
  const until = evaluator.time.takeNextChange()
  if (findings?.length === 0) return until === Number.POSITIVE_INFINITY ? silent : { findings: none, until }
  // A failure counts in each run, and a waiver that is used is noted in each.
  const isAskedAlways = findings === undefined || waivers.some(({ covers }) => covers(rule.active.rule.id))
  return { findings: findings?.map(keyed) ?? none, until: isAskedAlways ? Number.NEGATIVE_INFINITY : until }
}

const none: readonly never[] = []
const silent = { findings: none, until: Number.POSITIVE_INFINITY }
