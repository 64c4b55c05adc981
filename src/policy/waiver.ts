import { hash } from 'node:crypto'
import { canonicalJson } from '../model/canonical-json.ts'
import { matchesGlob } from '../model/glob.ts'
import { type Json, valueAt } from '../model/json.ts'
import type { ProjectRef, Resource } from '../model/resource.ts'
import type { Waiver } from '../model/violation.ts'
import { readExpiry } from './expiry.ts'
import type { WrittenWaiver } from './policy-schema.ts'
import { describeSelector, type Labels, matcherOf, reachOf } from './selector.ts'

/** A waiver of the policy file, ready to decide. */
export interface PolicyWaiver {
  /** Of its rule, selector and value, in hex: a waiver that is renewed or reworded keeps it. */
  readonly uid: string
  /** For people: what it is for. */
  readonly name: string
  readonly rule: string
  readonly match: string
  readonly terms: Waiver
  /** Milliseconds; from then on it holds no more. */
  readonly until: number
  /** Whether it is for violations of a rule. */
  covers(rule: string): boolean
  /** Whether a resource of the project could be what it is for. */
  reaches(project: ProjectRef, labels: Labels): boolean
  /** Whether a resource is what it is for, with the value that it accepts. */
  accepts(project: ProjectRef, labels: Labels, resource: Resource): boolean
}

/** `said`: checked by the policy's schema. */
export function compileWaiver(said: WrittenWaiver): PolicyWaiver {
  const { rule, match, owner, reason, expires, ticket, path, value } = said
  const until = readExpiry(expires)
  if (until === undefined) throw new Error(`the schema let ${expires} pass`)
  const matches = matcherOf(match)
  const accepted = value === undefined ? undefined : canonicalJson(value)
  const only = path === undefined ? '' : `, one value at ${path}`
  // A selector is a decoded value of the policy file.
  const identity: Json = [rule, match as Json, path ?? null, value ?? null]
  return {
    uid: hash('sha256', canonicalJson(identity)).slice(0, 16),
    name: `${rule} for ${describeSelector(match)}${only}`,
    rule,
    match: describeSelector(match),
    terms: { owner, reason, expires: new Date(until).toISOString(), ...(ticket === undefined ? {} : { ticket }) },
    until,
    covers: (id) => matchesGlob(id, rule),
    reaches: reachOf(match),
    accepts(project, labels, resource) {
      if (!matches(project, labels, resource)) return false
      if (path === undefined) return true
      const shown = valueAt(resource.attributes, path)
      // What is not shown is not known to be what was accepted.
      return shown !== undefined && canonicalJson(shown) === accepted
    },
  }
}

/**
 * The one place that decides whether a violation is accepted: which of the waivers that are for it, and still hold at
 * the start of the run, lasts longest. Undefined: none, it counts.
 */
export function waiverAmong(waivers: readonly PolicyWaiver[], now: number): PolicyWaiver | undefined {
  let longest: PolicyWaiver | undefined
  for (const waiver of waivers) {
    if (now < waiver.until && waiver.until > (longest?.until ?? 0)) longest = waiver
  }
  return longest
}
