import type { Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { RuleFacts } from './fleet-facts.ts'
import type { BoundRules } from './rule-sets.ts'
import type { Labels } from './selector.ts'

/** What evaluations of the same policy found in resources and kept of them, so that later ones need not ask again. */
export interface KnownEvaluations {
  readonly findings: WeakMap<Resource, FindingMemory>
  readonly facts: WeakMap<Resource, RuleFacts>
}

/** What rules about one resource found in it: most of it for good. Instants are milliseconds since the epoch. */
export interface FindingMemory {
  /** Of rules whose answers hold. */
  readonly lasting: readonly Finding[]
  /** Rules to ask again: they ask the time, may be waived until a time, or failed. */
  readonly timed: readonly BoundRules<'resource'>[]
  /** What all rules found when they were asked last. */
  readonly findings: readonly Finding[]
  /** When the timed rules are asked again; minus infinity: in every run. */
  readonly until: number
  /** Labels that it was evaluated under. */
  readonly labels: Labels
  /** Start of the run in which rules were asked last. */
  readonly at: number
}

export function nothingKnown(): KnownEvaluations {
  return { findings: new WeakMap(), facts: new WeakMap() }
}
