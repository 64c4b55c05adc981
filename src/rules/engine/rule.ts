import { z } from 'zod'
import type { JsonObject } from '../../model/json.ts'
import type { Kind, ProjectRef, Resource } from '../../model/resource.ts'
import { isAtLeast, type Severity } from '../../model/violation.ts'
import type { AttributesByKind } from './attributes.ts'
import type { Drift } from './drift.ts'
import type { OverdueViolations } from './overdue-violations.ts'
import type { ScanOutcome } from './scan-outcome.ts'

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

/** A problem of a resource seen earlier. */
export interface LocatedRuleFinding extends RuleFinding {
  readonly at: FindingPlace
}

export interface FindingPlace {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly name: string
}

export interface EvaluatedResource<K extends Kind> extends Omit<Resource, 'kind' | 'attributes'> {
  readonly kind: K
  readonly attributes: AttributesByKind[K]
}

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
  /** Called when a rule reads the time: a replay evaluates only such a rule again. */
  readonly onNow?: () => void
}

export const emptyContext: EvaluationContext = { labels: {}, since: () => undefined }

export interface Description<Schema extends z.ZodObject> {
  /** Its path below `src/rules`. */
  readonly id: string
  /** What is wrong in general. */
  readonly title: string
  readonly severity: Severity
  /** Packs of a theme. `all` follows, and `recommended` from `medium` on; a rule of low severity may name it. */
  readonly packs: readonly Pack[]
  /** The highest severity that a problem of it has by default, where that is not the rule's own. */
  readonly highest?: Severity
  /** In no pack, not even in `all`: evaluated only where a policy names it. */
  readonly optIn?: true
  /** Fields that it reads and that no history keeps, because they change by themselves. */
  readonly unkept?: readonly string[]
  readonly options?: Schema
}

interface ResourceDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Paths into the attributes of this resource whose `since` its check asks for: the history is read for these alone. */
  dates?(resource: EvaluatedResource<K>): readonly string[]
  check(
    resource: EvaluatedResource<K>,
    context: RuleSettings<z.output<Schema>>,
    evaluation: EvaluationContext,
  ): Iterable<RuleFinding>
}

interface AggregateRuleDefinition<K extends Kind, State, Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it visits. */
  readonly visits: readonly K[]
  start(): State
  /** Called in the order of walking: project, endpoints, sources, subscriptions. Keeps only what `conclude` needs. */
  visit(state: State, resource: EvaluatedResource<K>, place: FindingPlace): void
  conclude(state: State, context: RuleSettings<z.output<Schema>> & Completeness): Iterable<LocatedRuleFinding>
}

export interface Completeness {
  /** Whether all there is of a kind was seen: only then may a rule conclude from something missing. */
  isComplete(kind: Kind): boolean
}

/** A rule as tables, packs and pages see it; `bind` gives it its options. */
export interface Rule {
  readonly id: string
  readonly kind: Kind
  readonly title: string
  readonly severity: Severity
  readonly packs: readonly Pack[]
  readonly options: z.ZodObject
  /** Kinds whose complete coverage it takes to say that a violation is gone. */
  readonly needs: readonly Kind[]
  /**
   * `resource`, `drift`: one at a time; `scan`: what the scan of a project showed; `violations`: what the run leaves open;
   * else across resources.
   */
  readonly scope: 'resource' | 'drift' | 'scan' | 'project' | 'fleet' | 'violations'
  /** Of a rule with the scope `drift`: what ends its violations. */
  readonly life?: DriftLife
  /** Fields that it reads and that no history keeps. */
  readonly unkept?: readonly string[]
  /** @throws ZodError when the options are not its own */
  bind(options: unknown): BoundRule
  /** What the policy file says of a rule of its own; undefined for those that come with the program. */
  readonly custom?: CustomDefinition
}

/**
 * `restored`: the value is back, or at least as strong. `approved`: the approved state is back. `found`: a scan no
 * longer finds it.
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
      /** For how long its violations stay open while the value is not back, in milliseconds. */
      readonly openForMs: number
      check(drift: Drift, now: number): Iterable<RuleFinding>
    }
  | { readonly scope: 'scan'; check(scan: ScanOutcome): Iterable<RuleFinding> }
  | { readonly scope: 'violations'; check(overdue: OverdueViolations): Iterable<RuleFinding> }
  | { readonly scope: 'project'; readonly visits: readonly Kind[]; start(run?: EvaluationRun): Aggregation }
  | {
      readonly scope: 'fleet'
      readonly visits: readonly Kind[]
      facts(resource: Resource): Iterable<FleetFact>
      conclude(alike: readonly LocatedFact[], now: number): Iterable<LocatedRuleFinding>
    }

/** What a rule across projects keeps of a resource: a seal that others may have too, and what it wants to know then. */
export type FleetFact = readonly [seal: string, ...details: string[]]

export interface LocatedFact {
  readonly at: FindingPlace
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

export interface Aggregation {
  visit(resource: Resource, place: FindingPlace): void
  conclude(now: number, completeness: Completeness): Iterable<LocatedRuleFinding>
}

export const noOptions = z.strictObject({})

/** A rule that checks one resource at a time. */
export function resourceRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  kind: K,
  definition: ResourceDefinition<K, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  const { dates } = definition
  return {
    ...describeRule(definition),
    kind,
    options: schema,
    needs: [kind],
    scope: 'resource',
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'resource',
        // The evaluator calls a rule with resources of its kind only, in the form that the inventory gives them.
        check(resource, now, evaluation = emptyContext) {
          const { onNow } = evaluation
          const evaluated = resource as unknown as EvaluatedResource<K>
          // Two members and no more: with what only some rules ask for in it, every rule takes twice the time.
          const context = onNow === undefined ? { options, now } : observingNow({ options }, now, onNow)
          return definition.check(evaluated, context, evaluation)
        },
        ...(dates && { dates: (resource) => dates(resource as unknown as EvaluatedResource<K>) }),
      }
    },
  }
}

/** Settings that report when the time is read. */
export function observingNow<Rest extends object>(rest: Rest, now: number, onNow: () => void): Rest & { now: number } {
  return {
    ...rest,
    get now() {
      onNow()
      return now
    },
  }
}

/** A rule that checks the resources of a project together: it collects while they pass and concludes at the end. */
export function aggregateRule<K extends Kind, State, Schema extends z.ZodObject = typeof noOptions>(
  definition: AggregateRuleDefinition<K, State, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  return {
    ...describeRule(definition),
    kind: definition.kind,
    options: schema,
    needs: [...new Set([definition.kind, ...definition.visits])],
    scope: 'project',
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'project',
        visits: definition.visits,
        start() {
          const state = definition.start()
          return {
            // As above: only resources of the kinds it visits come here.
            visit: (resource, place) => definition.visit(state, resource as unknown as EvaluatedResource<K>, place),
            conclude: (now, completeness) => definition.conclude(state, { options, now, ...completeness }),
          }
        },
      }
    },
  }
}

export function describeRule({
  id,
  title,
  severity,
  packs: themes,
  highest = severity,
  optIn,
  unkept,
}: Description<z.ZodObject>) {
  const kept = unkept === undefined ? {} : { unkept }
  if (optIn) return { id, title, severity, packs: [], ...kept }
  const general: readonly Pack[] = isAtLeast(highest, 'medium') ? ['recommended', 'all'] : ['all']
  return { id, title, severity, packs: [...new Set([...themes, ...general])], ...kept }
}
