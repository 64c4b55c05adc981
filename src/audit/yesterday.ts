import { compareFields } from '../gateway/inventory/compare-fields.ts'
import type { NamedVersion } from '../history/history.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { type Ending, notRequired } from '../model/ending.ts'
import { type Kind, type Listing, listings, type Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import { readDoubts } from '../policy/doubts.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import { acceptedPaths, touches } from '../rules/accepted-values.ts'
import { asResource } from './as-resource.ts'
import type { Comparison, Reform, ScannedResource } from './comparison.ts'
import { evaluateScan } from './evaluate-scan.ts'
import { type AsLeft, byPolicy, switchesOf } from './policy-endings.ts'
import { kindOf, type ProjectScan } from './project-scan.ts'
import { keyOf } from './reconcile.ts'

/**
 * What today's policy says of the state before the run. A violation that another policy found last, and that is silent, was
 * mended only if today's policy finds it there: else the policy ended it.
 */
export interface Yesterday {
  /** How the policy ended it, `unknown` where that cannot be said; undefined: the policy did not. */
  endingOf(violation: FoundViolation): Ending | 'unknown' | undefined
}

type FoundViolation = Finding & {
  /** The run that found it last, where the last scan did not. */
  readonly lastRun?: number | undefined
}

type Identity = Pick<Resource, 'kind' | 'uid'>

interface YesterdayBasis {
  readonly evaluator: PolicyEvaluator
  /** Today's policy at the time of an earlier run, in milliseconds. */
  evaluatorAt(now: number): PolicyEvaluator
  /** When an earlier run began: ISO 8601; undefined where it is not known. */
  startOf(run: number): string | undefined
  compareWith(scan: ProjectScan): Comparison
  readonly reform: Reform
  readonly asLeft: AsLeft
}

/** `scan`: today's. The state is evaluated once for a run that found such violations last, when the first of them asks. */
export function yesterdayOf(scan: ProjectScan, basis: YesterdayBasis): Yesterday {
  const { evaluator, startOf, reform, asLeft } = basis
  const { project, before } = scan
  const evaluations = new Map<number, ReturnType<typeof evaluateBefore>>()
  const switchOf = switchesOf(project, asLeft, evaluator)
  const resourceThen = ({ kind, uid }: Finding, run: number): Resource | undefined => {
    const version = before.versions.at({ kind, uid }, run)
    return version && reformed({ kind, uid }, version, reform)
  }
  /** How another policy, or another version of the rule, ended what is silent. */
  const endingBy = (violation: FoundViolation, run: number): Ending => {
    const { version, isPolicyAlike } = before.otherRules.get(run) ?? { version: '', isPolicyAlike: false }
    if (!isPolicyAlike) return byPolicy(switchOf(violation))
    return notRequired(`the rule changed in version ${version}`)
  }
  return {
    endingOf(violation) {
      const { kind, rule, lastRun = before.lastScan } = violation
      const needs = evaluator.needs.get(rule)
      if (lastRun === undefined || needs === undefined || needs.scope === 'scan') return undefined
      // It was compared with another baseline: today's says nothing of what it differed from.
      const approvedAt = before.expected?.approvalOf(violation)?.at ?? ''
      if (needs.life !== undefined && approvedAt > (startOf(lastRun) ?? '~')) return undefined
      const isAlike = !before.otherRules.has(lastRun)
      const today = asLeft(violation)
      if (isAlike && (!evaluator.overridden.has(rule) || today === undefined)) return undefined
      const was = resourceThen(violation, lastRun)
      const ended = () => (isAlike ? byPolicy(switchOf(violation)) : endingBy(violation, lastRun))
      if (isAlike && (was === undefined || isUnderSameOptions(violation, was, today))) return undefined
      if (was !== undefined && today !== undefined) {
        // The same function gives something else for another payload, or meets another expectation.
        if (kind === 'probe' && was.attributes.function_digest === today.attributes.function_digest) return ended()
        const isUnrecorded = needs.isUnrecorded === true || needs.isDated === true
        if (isUnrecorded) return needs.scope === 'resource' && isSameValue(violation, was, today) ? ended() : undefined
      }
      const evaluated = evaluations.get(lastRun) ?? evaluateBefore(scan, lastRun, basis)
      evaluations.set(lastRun, evaluated)
      if (evaluated.found.has(keyOf(violation))) return undefined
      return evaluated.isUnknown(violation) ? 'unknown' : ended()
    },
  }

  function isUnderSameOptions({ rule, kind, uid }: Finding, was: Resource, today: NamedVersion | undefined): boolean {
    const optionsFor = (resource: Resource) => canonicalJson(evaluator.optionsOf(project, resource, rule) ?? null)
    const { name = '', attributes = {} } = today ?? {}
    return optionsFor(was) === optionsFor({ kind, uid, name, attributes, volatile: {}, facts: {} })
  }
}

/** Whether what a violation is about is as it was: of a rule that reads what no history keeps, that is all there is. */
function isSameValue(violation: Finding, was: Resource, today: NamedVersion): boolean {
  const { asSeen } = compareFields(violation.kind, { ...was, sealKeyId: today.sealKeyId }, today)
  const paths = acceptedPaths(violation)
  return !asSeen.some(({ path }) => paths.length === 0 || touches(paths, path))
}

/** Evaluates the state as of a run by today's policy, at the time of that run. */
function evaluateBefore(
  today: ProjectScan,
  run: number,
  { compareWith, evaluatorAt, startOf, reform, asLeft }: YesterdayBasis,
) {
  const { before } = today
  const now = Date.parse(startOf(run) ?? '')
  const scan = { ...today, run, now: Number.isNaN(now) ? today.now : now }
  const then = evaluatorAt(scan.now)
  const byKind = new Map<Kind, ScannedResource[]>()
  for (const { kind, uid } of before.versions.identities()) {
    const stored = before.versions.at({ kind, uid }, run)
    if (stored === undefined || (kind === 'probe' && isOtherTrial(stored, asLeft({ kind, uid })))) continue
    const ofKind = byKind.get(kind) ?? []
    byKind.set(kind, ofKind)
    const resource = reformed({ kind, uid }, stored, reform)
    ofKind.push({ resource, since: stored.fromRun, change: undefined, previous: undefined, base: 'same' })
  }
  // An override that names a resource is for what it is today.
  const rules = then.forProject(scan.project, undefined, (resource) => {
    const { name = resource.name, attributes = resource.attributes } = asLeft(resource) ?? {}
    return { ...resource, name, attributes }
  })
  const listed = new Map<Kind, Listing>(listings.map((listing) => [kindOf[listing], listing]))
  const evaluation = evaluateScan(
    scan,
    [...byKind].map(([kind, resources]) => ({ listing: listed.get(kind) ?? 'subscriptions', resources })),
    {
      evaluator: { ...then, datesOf: () => [] },
      rules,
      comparison: compareWith(scan),
      followed: before.history.withOrigin,
      expected: before.expected,
      reform,
      timed: { changes: [], until: '' },
      walked: { statuses: Object.fromEntries(listings.map((listing) => [listing, 'complete'])), narrowed: [] },
      unobserved: [],
    },
  )
  const { doubts, failures } = rules.outcome()
  const { isAbout } = readDoubts(doubts)
  const undecided = new Set(evaluation.undecided)
  return {
    // What a person or the policy ended is there, too.
    found: new Set([...evaluation.findings.map(keyOf), ...Object.keys(evaluation.endings)]),
    isUnknown: (violation: Finding) =>
      isAbout(violation) || violation.rule in failures || undecided.has(keyOf(violation)),
  }
}

/** Whether the same function got another payload: today's policy would not have had that outcome. */
function isOtherTrial({ attributes: was }: NamedVersion, today: NamedVersion | undefined): boolean {
  if (today === undefined || was.function_digest !== today.attributes.function_digest) return false
  return was.payload_digest !== today.attributes.payload_digest
}

function reformed(resource: Identity, version: NamedVersion, reform: Reform): Resource {
  return asResource(resource, { ...version, attributes: reform(resource.kind, version.attributes) })
}
