import { hash } from 'node:crypto'
import { maskCredentials } from '../gateway/inventory/seal-text.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import { matchesGlob } from '../model/glob.ts'
import { type Json, pointersOverlap, valueAt } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Waiver } from '../model/violation.ts'
import { readExpiry } from './expiry.ts'
import type { WrittenWaiver } from './policy-schema.ts'
import { describeSelector, type Labels, type Matcher, matcherOf, reachOf } from './selector.ts'

/** A waiver of the policy file, ready to decide. */
export interface PolicyWaiver {
  /** Digest of its rule, selector and value, in hex: renewing or rewording a waiver keeps it. */
  readonly uid: string
  /** What it is for, in words. */
  readonly name: string
  readonly rule: string
  readonly match: string
  readonly terms: Waiver
  /** Milliseconds; expired from then on. */
  readonly until: number
  /** Whether it matches a rule. */
  covers(rule: string): boolean
  /** Whether it can match a resource of the project. */
  reaches(project: ProjectRef, labels: Labels): boolean
  /** Whether it matches a resource and its value. */
  accepts(project: ProjectRef, labels: Labels, resource: Resource): boolean
  /** JSON Pointers of what decides whether it matches, and is unknown: what it accepts may be there. */
  unknownOf: Matcher['unknownOf']
}

/** `said`: checked by the policy's schema. */
export function compileWaiver(said: WrittenWaiver): PolicyWaiver {
  const { rule, match, owner, reason, expires, ticket, path, value } = said
  const until = readExpiry(expires)
  if (until === undefined) throw new Error(`the schema let ${expires} pass`)
  const { matches, unknownOf } = matcherOf(match)
  const accepted = value === undefined ? undefined : canonicalJson(value)
  /** A value of an earlier scan may not be there any longer. */
  const unseenOf = ({ unseen = [] }: Resource) =>
    path === undefined ? [] : unseen.filter((pointer) => pointersOverlap(pointer, path))
  const only = path === undefined ? '' : `, one value at ${path}`
  // A selector is a decoded value of the policy file.
  const identity: Json = [rule, match as Json, path ?? null, value ?? null]
  return {
    uid: hash('sha256', canonicalJson(identity)).slice(0, 16),
    name: `${rule} for ${describeSelector(match)}${only}`,
    rule,
    match: describeSelector(match),
    terms: {
      owner: maskCredentials(owner),
      reason: maskCredentials(reason),
      expires: new Date(until).toISOString(),
      ...(ticket === undefined ? {} : { ticket: maskCredentials(ticket) }),
    },
    until,
    covers: (id) => matchesGlob(id, rule),
    reaches: reachOf(match),
    accepts(project, labels, resource) {
      if (!matches(project, labels, resource) || unseenOf(resource).length > 0) return false
      if (path === undefined) return true
      const value = valueAt(resource.attributes, path)
      // A value that is not shown may differ from the accepted one.
      return value !== undefined && canonicalJson(value) === accepted
    },
    unknownOf(project, labels, resource) {
      const unknown = unknownOf(project, labels, resource)
      return unknown.length === 0 && !matches(project, labels, resource) ? [] : [...unknown, ...unseenOf(resource)]
    },
  }
}

/**
 * Finds the waiver that accepts a violation: of those that match and have not expired at the start of the run, the one
 * that lasts longest. Undefined: the violation counts. No other code decides this.
 */
export function waiverAmong(waivers: readonly PolicyWaiver[], now: number): PolicyWaiver | undefined {
  let longest: PolicyWaiver | undefined
  for (const waiver of waivers) {
    if (now < waiver.until && waiver.until > (longest?.until ?? 0)) longest = waiver
  }
  return longest
}
