import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Facts, Kind, Resource } from '../../src/model/resource.ts'
import type { Finding } from '../../src/model/violation.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { readPolicy } from '../../src/policy/read-policy.ts'
import type { Drift, OverdueViolations, Rule, ScanOutcome } from '../../src/rules/engine/rule.ts'
import { evaluateFleet } from '../policy/evaluate-fleet.ts'

/** A resource that a rule gets to see, in the inventory's normal form. */
export interface Seen {
  readonly kind: Kind
  readonly uid: string
  readonly attributes: JsonObject
  readonly volatile?: JsonObject
  /** What is known of sealed values of this one, by path. */
  readonly facts?: Facts
  readonly project: string
}

/** A resource next to what it was in the baseline. */
export interface Compared {
  readonly kind: Kind
  readonly uid: string
  readonly before: JsonObject | undefined
  readonly after: JsonObject | undefined
  readonly isApproved?: boolean
  readonly areSealsComparable?: boolean
  /** When it changed, outside every change window. */
  readonly outside?: string
  /** The run of the origin of an open violation. */
  readonly lostSince?: number
  /** How many hours ago a field changed, by path. */
  readonly hoursAgo?: Readonly<Record<string, readonly number[]>>
}

/** What a rule sees, in the order of walking, and what it has to say of it. */
export interface Case {
  readonly sees?: readonly Seen[]
  readonly compares?: readonly Compared[]
  readonly scan?: Partial<ScanOutcome>
  readonly overdue?: readonly OverdueViolations[]
  /** `high e1/status: message` for each problem. Default: the rule is silent. */
  readonly finds?: readonly string[]
  readonly options?: JsonObject
  /** What is known of sealed values, by path. */
  readonly facts?: Facts
  /** When it happens. Default: `now`. */
  readonly at?: string
  /** Labels of the project. */
  readonly labels?: Readonly<Record<string, string>>
  /** Since when each path has held its value. */
  readonly since?: Readonly<Record<string, string>>
  /** Kinds whose walk broke off. */
  readonly unseen?: readonly Kind[]
}

/** By what each shows, as a sentence about the rule. */
export type Cases = Readonly<Record<string, Case>>

const seen =
  (kind: Kind, ownUid: string) =>
  (attributes: JsonObject, uid = ownUid, project = 'p'): Seen => ({ kind, uid, attributes, project })

export const anEndpoint = seen('endpoint', 'e1')
/** Several endpoints, `e1`, `e2` and so on. */
export const endpoints = (...attributes: readonly JsonObject[]): Seen[] =>
  attributes.map((one, index) => anEndpoint(one, `e${index + 1}`))
/** Endpoints that deliver to these addresses. */
export const endpointsAt = (...urls: readonly (string | null)[]): Seen[] => endpoints(...urls.map((url) => ({ url })))
export const aSubscription = seen('subscription', 's1')
export const aSource = seen('source', 'q1')
export const anEventType = seen('event_type', 't1')
export const aProject = seen('project', 'p')
export const aWaiver = seen('policy', 'w1')
export const aProbe = seen('probe', 'orders')

/** One that was and is; `before` or `after` left out: it was not there, or is gone. */
export const changed = (
  { kind, uid, attributes: before }: Seen,
  after: JsonObject,
  other: Partial<Compared> = {},
): Compared => ({ kind, uid, before, after, ...other })

function driftOf({ kind, uid, before, after, hoursAgo = {}, ...other }: Compared): Drift {
  const { isApproved = false, areSealsComparable = true } = other
  const fields =
    before === undefined || after === undefined
      ? []
      : diffAttributes(kind, before, after, { sealsComparable: areSealsComparable })
  const stayed = fields.length > 0 ? 'modified' : 'none'
  const change = before === undefined ? 'added' : after === undefined ? 'removed' : stayed
  const recent = new Map(
    Object.entries(hoursAgo).map(([path, hours]) => [path, hours.map((ago) => now - ago * 3_600_000)]),
  )
  const { outside, lostSince } = other
  const subject = { kind, uid, name: '' }
  return { ...subject, change, before, after, fields, isApproved, areSealsComparable, outside, lostSince, recent }
}

const theProject: Resource = { kind: 'project', uid: 'p', name: '', attributes: {}, volatile: {}, facts: {} }
const nothingWrong: ScanOutcome = {
  isVanished: false,
  isMissing: false,
  isUnlisted: false,
  unconfirmedRemovals: [],
}

/** When a case happens that names no time. */
export const now = Date.parse('2026-11-21T00:00:00Z')

/** A seal, made of one hexadecimal digit. */
export const seal = (digit: string) => `sealed:${digit.repeat(32)}`
/** How a value is stored that the service masks. */
export const masked = 'sealed:masked'

/** Reading a policy takes longer than evaluating a case, and most cases of a rule have the same options. */
const policies = new Map<string, Policy>()

function policyOf({ id, scope }: Rule, options: JsonObject): Policy {
  const due = scope === 'violations' ? { due: { high: '2d' } } : {}
  const text = JSON.stringify({ extends: [], rules: { [id]: options }, ...due })
  const policy = policies.get(text) ?? readPolicy('policy.yaml', () => text)
  policies.set(text, policy)
  return policy
}

/** What a rule says of a case, through the evaluator that every run uses. */
export async function findingsOf(
  rule: Rule,
  { sees = [], compares = [], scan, overdue = [], options = {}, unseen = [], ...around }: Omit<Case, 'finds'>,
): Promise<string[]> {
  const evaluator = evaluateFleet(
    policyOf(rule, options),
    around.at === undefined ? now : Date.parse(around.at),
    () => around.labels ?? {},
  )
  const since = (path: string) => around.since?.[path]
  const refOf = (name: string) => ({ name: `acme/${name}`, service: 'acme', uid: name })
  const completeness = { isComplete: (kind: Kind) => !unseen.includes(kind) }
  const found = sees.flatMap(({ kind, uid, attributes, volatile = {}, facts = around.facts ?? {}, project }) =>
    evaluator.of(refOf(project)).evaluate({ kind, uid, name: '', attributes, volatile, facts }, since),
  )
  const compared = compares.flatMap((one) => {
    const drift = driftOf(one)
    const { kind, uid, name } = drift
    const resource = { kind, uid, name, attributes: one.after ?? one.before ?? {}, volatile: {}, facts: {} }
    return evaluator.of(refOf('p')).compare(resource, drift)
  })
  const ofScan =
    scan === undefined ? [] : evaluator.of(refOf('p')).evaluateScan(theProject, { ...nothingWrong, ...scan })
  const ofViolations = evaluator.evaluateOverdue(refOf('p'), overdue)
  const projects = [...new Set(sees.map(({ project }) => project))]
  const concluded: Finding[] = []
  for (const name of projects) concluded.push(...evaluator.of(refOf(name)).conclude(completeness))
  const acrossFleet = evaluator.concludeFleet().findings.map(({ finding }) => finding)
  return [...found, ...compared, ...ofScan, ...ofViolations, ...concluded, ...acrossFleet].map(
    ({ severity, uid, path, message }) => `${severity} ${uid}${path}: ${message}`,
  )
}
