import type { Kind, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { LocatedRuleFinding } from '../rules/engine/rule.ts'
import type { RuleFacts } from './fleet-facts.ts'
import type { BoundRules } from './rule-sets.ts'
import type { Labels } from './selector.ts'

/** What evaluations of the same policy found in resources and kept of them, so that later ones need not ask again. */
export interface RememberedEvaluations {
  readonly findings: WeakMap<Resource, FindingMemory>
  readonly facts: WeakMap<Resource, RuleFacts>
  /** What rules across resources concluded last, by rule. */
  readonly conclusions: Map<string, RememberedConclusion>
}

/** A scan that is foreseen: what it shows is in the history. */
export interface ForeseenScan {
  readonly remembered: RememberedEvaluations
  /** In the order of walking. A list is the same object where nothing in it changed since the scan before. */
  readonly seen: ReadonlyMap<Kind, readonly Resource[]>
  isComplete(kind: Kind): boolean
}

/**
 * What a rule across resources found. It knows their project, them, and how complete they are, and nothing else: of the
 * same it finds the same.
 */
export interface RememberedConclusion {
  /** By its name. */
  readonly project: string
  /** Of each kind that it visits. */
  readonly seen: readonly (readonly Resource[] | undefined)[]
  /** What it asked. */
  readonly complete: ReadonlyMap<Kind, boolean>
  readonly problems: readonly LocatedRuleFinding[]
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

export function createRememberedEvaluations(): RememberedEvaluations {
  return { findings: new WeakMap(), facts: new WeakMap(), conclusions: new Map() }
}
