import type { z } from 'zod'
import type { LicensedFeature } from '../../gateway/licence.ts'
import type { ChangeType, FieldChange } from '../../model/change.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { ReleaseRange } from '../../model/release-range.ts'
import type { Kind, Listing, ProjectRef, Resource } from '../../model/resource.ts'
import type { Severity } from '../../model/violation.ts'
import type { AttributesByKind } from './attributes.ts'

export const packs = [
  'recommended',
  'standard-webhooks',
  'secrets',
  'tls',
  'ssrf',
  'delivery',
  'hygiene',
  'all',
] as const
export type Pack = (typeof packs)[number]

/** What a rule has to say about one resource. */
export interface RuleFinding {
  /** JSON Pointer into the attributes; empty for the resource as a whole. */
  readonly path: string
  /** The particulars, with the values. Says the same in every run in which nothing changed: no ages, no "now". */
  readonly message: string
  /** When it differs from the rule's own. */
  readonly severity?: Severity
}

/** A problem of one of several resources. */
export interface LocatedRuleFinding extends RuleFinding {
  readonly at: FindingSubject
}

/** The same of a resource of the project that is evaluated. */
export interface ProjectRuleFinding extends RuleFinding {
  readonly at: Pick<Resource, 'kind' | 'uid' | 'name'>
}

export interface FindingSubject {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly name: string
}

export interface EvaluatedResource<K extends Kind> extends Omit<Resource, 'kind' | 'attributes'> {
  readonly kind: K
  readonly attributes: AttributesByKind[K]
}

/** What a rule gets besides what it checks. */
export interface RuleSettings<Options> {
  readonly options: Options
  /** Milliseconds since the epoch, the same for the whole run. */
  readonly now: number
}

/** What a rule may know of a resource besides what it is now. */
export interface EvaluationContext {
  /** Labels of its project. */
  readonly labels: Readonly<Record<string, string>>
  /**
   * Start of the first of the runs, without a break up to this one, that saw this value there (ISO 8601). Only for
   * paths that the rule asks to be dated; undefined where it is not known.
   */
  since(path: string): string | undefined
  /** Its project and the run; every evaluator gives them. */
  readonly run?: ResourceContext
}

export const emptyContext: EvaluationContext = { labels: {}, since: () => undefined }

/** What tables, packs and pages print of a rule, as its file says it. */
interface RuleFacts {
  /** Of a rule with a file of its own, the path below `src/rules`. */
  readonly id: string
  /** What is wrong in general. */
  readonly title: string
  readonly severity: Severity
  /** Fields that it reads and that no history keeps, because they change by themselves. */
  readonly unrecorded?: readonly string[] | undefined
  /**
   * What an acceptance of a violation holds to besides the field at its path: JSON Pointers into the attributes, whose
   * change makes another finding of it. `nothing`: it is about what happens, or about what is missing, and is accepted
   * as it is.
   */
  readonly acceptedWith?: readonly string[] | 'nothing' | undefined
  readonly fix?: ReadyFix | undefined
  /**
   * JSON Pointers of texts that it evaluates also where they are words outside their vocabulary, or addresses that do not
   * parse. To every other rule such a text is unknown. `any`: it compares texts, and what they mean does not matter.
   */
  readonly takesText?: readonly string[] | 'any' | undefined
  /** Without the filter rows of a subscription it finds nothing. */
  readonly readsRows?: true | undefined
  /** It evaluates what the gateway applies only with this feature of its licence: without it, it does not apply. */
  readonly licence?: LicensedFeature | undefined
  /** It passes over secrets that the service masks, and its findings are about secrets. */
  readonly skipsMasked?: true | undefined
}

export interface Description<Schema extends z.ZodObject> extends RuleFacts {
  /** Packs of a theme. `all` follows, and `recommended` from `medium` on; a rule of low severity may name it. */
  readonly packs: readonly Pack[]
  /** The highest severity that a problem of it has by default, where that is not the rule's own. */
  readonly highest?: Severity
  /** In no pack, not even in `all`: evaluated only where a policy names it. */
  readonly optIn?: true
  readonly options?: Schema
}

/**
 * The one value that ends a violation of a rule. It follows from the rule and its options alone; where a person has to
 * choose, a rule has none. A number that breaks a bound becomes the nearest whole number within it.
 */
export type ReadyFix = FixedValue | Bound

interface FixedValue {
  /** JSON Pointer into the attributes. */
  readonly path: string
  readonly value: Json
}

/** `option`: the name of the option that has the bound. */
export interface Bound {
  readonly path: string
  readonly bound: 'most' | 'least'
  readonly option: string
}

export interface Completeness {
  /** Whether all there is of a kind was seen: only then may a rule conclude from something missing. */
  isComplete(kind: Kind): boolean
}

/** A rule as tables, packs and pages see it; `bind` gives it its options. */
export interface Rule extends RuleFacts {
  readonly kind: Kind
  readonly packs: readonly Pack[]
  readonly options: z.ZodObject
  /** Kinds whose complete coverage it takes to say that a violation is gone. */
  readonly needs: readonly Kind[]
  /** Kinds that it is about as well, in projects that list them. */
  readonly needsIfListed?: readonly Kind[] | undefined
  /**
   * `resource`, `drift`: one at a time; `scan`: what the scan of a project showed; `violations`: what the run leaves open;
   * else across resources.
   */
  readonly scope: 'resource' | 'drift' | 'scan' | 'project' | 'fleet' | 'violations'
  /** Of a rule with the scope `drift`: what ends its violations. */
  readonly life?: DriftLife
  /** Of a rule with the scope `drift`: whether a request of the service can put back what it finds. */
  readonly isRestorable?: boolean
  /** @throws ZodError when the options are not its own */
  bind(options: unknown): BoundRule
  /** What the policy file says of a rule of its own; undefined for those that come with the program. */
  readonly custom?: CustomDefinition
}

/**
 * `restored`: the value is back, or at least as strong. `approved`: the approved state is back, as far as no rule with
 * the life `restored` reports a field of it. `found`: a scan no longer finds it.
 */
export type DriftLife = 'restored' | 'approved' | 'found'

export interface CustomDefinition {
  /** Controls that it gives evidence for. */
  readonly controls: readonly string[]
  readonly remediation: string
  /** All that it decides by, for the policy's digest. */
  readonly source: JsonObject
}

/** Some rules do not read the context of a resource; an evaluator always passes it. */
export type BoundRule =
  | {
      readonly scope: 'resource'
      check(resource: Resource, now: number, evaluation?: EvaluationContext): Iterable<RuleFinding>
      readonly dates?: (resource: Resource) => readonly string[]
    }
  | {
      readonly scope: 'drift'
      readonly kinds: readonly Kind[]
      /** How far back it reads changes; 0 when it does not. */
      readonly lookbackMs: number
      /** Fields that a finding reports besides the one at its path, each with all below it. */
      readonly reportsWith: readonly string[]
      /** For how long its violations stay open while the value is not back, in milliseconds. */
      readonly openForMs: number
      check(drift: Drift, now: number): Iterable<RuleFinding>
    }
  | { readonly scope: 'scan'; check(scan: ScanOutcome): Iterable<RuleFinding> }
  | { readonly scope: 'violations'; check(overdue: OverdueViolations): Iterable<RuleFinding> }
  | {
      readonly scope: 'project'
      readonly reads: readonly Kind[]
      check(project: ResourcesOfProject): Iterable<ProjectRuleFinding>
    }
  | {
      readonly scope: 'fleet'
      readonly visits: readonly Kind[]
      facts(resource: Resource): readonly FleetFact[]
      conclude(alike: readonly LocatedFact[], now: number): Iterable<LocatedRuleFinding>
    }

/** What a rule across projects says of a resource: a seal that others may have too, and what it wants to know then. */
export type FleetFact = readonly [seal: string, ...details: string[]]

export interface LocatedFact {
  readonly at: FindingSubject
  readonly details: readonly string[]
}

/** The project of a resource, and the run. */
export interface ResourceContext extends EvaluationRun {
  readonly project: ProjectRef
}

/** What a run gives to the rules of a policy file. */
export interface EvaluationRun {
  /** Milliseconds since the epoch, the same for the whole run. */
  readonly now: number
  labelsOf(project: ProjectRef): Readonly<Record<string, string>>
  /** Called around every expression of a policy file: together they have a time limit. */
  readonly meter: Meter
}

export interface Meter {
  begin(): void
  end(): void
  /** Whether the time that all evaluations of a run have together is used up. */
  isSpent(): boolean
}

/** The resources of a project, as a rule across them sees them. */
export interface ResourcesOfProject extends Completeness {
  /** Those of a kind that it can evaluate, in the order of walking. */
  all(kind: Kind): readonly Resource[]
  readonly run: ResourceContext
  /** Called where what there is decides nothing: then its silence says nothing either. */
  cannotSay(): void
}

/** What people configure. Devices come, go and fall silent by themselves; what a probe gives has rules of its own. */
export const configuredKinds = ['endpoint', 'subscription', 'source', 'event_type', 'project'] as const

/**
 * A resource compared with the approved baseline, or else with the last complete scan. What one side did not show is
 * not in `fields`, and no rule evaluates it.
 */
export interface Drift {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  /** `none`: as in the baseline, and changed lately. */
  readonly change: ChangeType | 'none'
  /** Attributes; undefined when it was not there. */
  readonly before: JsonObject | undefined
  /** Attributes; undefined when it is gone. */
  readonly after: JsonObject | undefined
  /** Sorted by path; none for what came or went whole. */
  readonly fields: readonly FieldChange[]
  /** Whether the baseline is one that a person approved. */
  readonly isApproved: boolean
  /** False when the two sides were sealed under different installation keys. */
  readonly areSealsComparable: boolean
  /**
   * When it changed, in words, where that was outside every change window of its project; undefined in all other cases,
   * and before that is decided.
   */
  readonly outside?: string | undefined
  /** Where it is the difference from the origin of an open violation: the run that shows the origin. */
  readonly lostSince?: number | undefined
  /** When fields were found changed lately, this run included, by path: milliseconds since the epoch. */
  readonly recent: ReadonlyMap<string, readonly number[]>
}

/** What the scan of a project showed, or those of a service's projects together. */
export interface ScanOutcome {
  /** Whether the service says that the project is not there, or not for this key. */
  readonly isVanished: boolean
  /** Whether the complete list of the service's projects does not have it, and nothing of it could be read. */
  readonly isMissing: boolean
  /** Whether the service lists it, its key reads it, and the configuration does not name it. */
  readonly isUnlisted: boolean
  /** Of a service: what its release is, as far as answers show it; absent where nothing did. */
  readonly release?: ReleaseRange | undefined
  /** Of a service: how the addresses of its http sources begin. */
  readonly origins?: readonly string[]
  /** Losses that are not believed yet. */
  readonly unconfirmedRemovals: readonly UnconfirmedRemoval[]
}

/** What a complete walk of a listing no longer showed. */
export interface UnconfirmedRemoval {
  readonly listing: Listing
  readonly missing: number
  /** How many there were. */
  readonly total: number
}

/** Violations of one rule in one project that are past their due date; at least one of them is open. */
export interface OverdueViolations {
  readonly rule: string
  /** How many, by severity; those that the scan could not check are counted too. */
  readonly counts: Readonly<Record<Severity, number>>
  /** The due date that passed first: ISO 8601 in UTC. */
  readonly firstDue: string
}
