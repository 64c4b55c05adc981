import type { HistoryReader, Identity } from '../../history/reader.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { type JsonObject, valueAt } from '../../model/json.ts'
import type { ProjectRef } from '../../model/resource.ts'
import type { Finding } from '../../model/violation.ts'
import type { PolicyEvaluator } from '../../policy/evaluator.ts'
import type { ActiveRule } from '../../policy/policy.ts'
import type { EvaluatedVersion, ReplayedVersion } from './fleet-then.ts'
import { type KeyedFinding, placed } from './ledger.ts'

interface EvaluationRequest {
  readonly evaluator: PolicyEvaluator
  readonly project: ProjectRef
  readonly labels: object
  /** Rules that are left out. */
  readonly limits: ReadonlyMap<string, string>
  /** Whether some waiver is for a rule. */
  isWaivable(rule: string): boolean
  /** For what only the past tells. */
  readonly history: HistoryReader
  readonly run: number
}

/** Judges a version, or what of its judgement may have changed since it was last asked for. */
export async function evaluateVersion(
  version: ReplayedVersion,
  occasion: EvaluationRequest,
): Promise<readonly (readonly KeyedFinding[])[]> {
  const { evaluator, project, labels } = occasion
  const known = version.evaluated
  if (known === undefined || known.labels !== labels) return evaluateAnew(version, occasion)
  if (known.timed.length === 0) return [known.lasting]
  const subject = { project, resource: version.resource, since: known.since }
  const now = known.timed.flatMap((active) => (evaluator.ask(active, subject) ?? []).map(placed))
  return [known.lasting, now]
}

async function evaluateAnew(
  version: ReplayedVersion,
  occasion: EvaluationRequest,
): Promise<readonly (readonly KeyedFinding[])[]> {
  const { evaluator, project, labels, limits, isWaivable } = occasion
  const { resource } = version
  const since = await dating(version, occasion)
  const lasting: KeyedFinding[] = []
  const today: KeyedFinding[] = []
  const timed: ActiveRule[] = []
  for (const active of evaluator.rulesFor(project, resource)) {
    if (limits.has(active.rule.id)) continue
    let asksTime = false
    const findings: Finding[] | undefined = evaluator.ask(active, { project, resource, since }, () => {
      asksTime = true
    })
    const isTimed = asksTime || findings === undefined || isWaivable(active.rule.id)
    if (isTimed) timed.push(active)
    for (const finding of findings ?? []) (isTimed ? today : lasting).push(placed(finding))
  }
  version.evaluated = {
    lasting: lasting.length === 0 ? none : lasting,
    timed: timed.length === 0 ? nobody : timed,
    since,
    labels,
  }
  return [lasting, today]
}

const none: readonly KeyedFinding[] = []
const nobody: readonly ActiveRule[] = []

async function dating(
  { resource }: ReplayedVersion,
  { evaluator, project, history, run }: EvaluationRequest,
): Promise<EvaluatedVersion['since']> {
  const paths = evaluator.datesOf(resource)
  if (paths.length === 0) return undefined
  const { kind, uid } = resource
  const dates = await dateValues(history, { project, kind, uid }, paths, run)
  return (path) => dates.get(path)
}

/** Since when a resource has held its values as of a run: back from version to version, up to the first break. */
async function dateValues(
  history: HistoryReader,
  identity: Identity,
  paths: readonly string[],
  run: number,
): Promise<ReadonlyMap<string, string>> {
  const versions = (await history.versionsOf(identity, run)).toReversed()
  // What we wrote ourselves.
  const bodies = versions.map(({ body }) => JSON.parse(body) as JsonObject)
  const dates = new Map<string, string>()
  for (const path of paths) {
    const values = bodies.map((body) => canonicalJson(valueAt(body, path) ?? null))
    for (const [at, version] of versions.entries()) {
      const later = versions[at - 1]
      const isBroken = later !== undefined && version.toRun !== later.fromRun
      if (isBroken || values[at] !== values[0]) break
      dates.set(path, version.from)
    }
  }
  return dates
}
