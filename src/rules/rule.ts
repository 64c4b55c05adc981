import { z } from 'zod'
import type { JsonObject } from '../model/json.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import { isAtLeast, type Severity } from '../model/violation.ts'
import type { AttributesByKind } from './attributes.ts'
import type { Drift } from './drift.ts'
import type { Look } from './look.ts'

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
export interface Problem {
  /** JSON Pointer into the attributes; empty for the resource as a whole. */
  readonly path: string
  /** The particulars, with the values. Says the same in every run in which nothing changed: no ages, no "now". */
  readonly message: string
  /** When it differs from the rule's own. */
  readonly severity?: Severity
}

/** A problem of a resource seen earlier. */
export interface LocatedProblem extends Problem {
  readonly at: Place
}

export interface Place {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly name: string
}

export interface JudgedResource<K extends Kind> extends Omit<Resource, 'kind' | 'attributes'> {
  readonly kind: K
  readonly attributes: AttributesByKind[K]
}

export interface Context<Options> {
  readonly options: Options
  /** Milliseconds since the epoch, the same for the whole run. */
  readonly now: number
}

/** What a rule may know of a resource besides what it is now. */
export interface Surroundings {
  /** Labels of its project. */
  readonly labels: Readonly<Record<string, string>>
  /**
   * Start of the first of the runs, without a break up to this one, that saw this value there (ISO 8601). Only for
   * paths that the rule asks to be dated; undefined where nobody knows.
   */
  since(path: string): string | undefined
  /** Where it stands and in which run; every judge says so. */
  readonly around?: Around
  /** Told when a rule asks what time it is: who judges the past asks only such a rule again. */
  readonly onNow?: () => void
}

export const noSurroundings: Surroundings = { labels: {}, since: () => undefined }

export interface Description<Schema extends z.ZodObject> {
  /** Its path below `src/rules`. */
  readonly id: string
  /** What is wrong in general. */
  readonly title: string
  readonly severity: Severity
  /** Packs of a theme; `recommended` and `all` follow from the severity. */
  readonly packs: readonly Pack[]
  /** The highest severity that a problem of it has by default, where that is not the rule's own. */
  readonly highest?: Severity
  /** In no pack, not even in `all`: judges only where a policy names it. */
  readonly optIn?: true
  /** Fields that it judges by and that no history keeps, because they change by themselves. */
  readonly unkept?: readonly string[]
  readonly options?: Schema
}

interface ResourceDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Paths into the attributes of this resource whose `since` its check asks for: the history is read for these alone. */
  dates?(resource: JudgedResource<K>): readonly string[]
  check(resource: JudgedResource<K>, context: Context<z.output<Schema>>, surroundings: Surroundings): Iterable<Problem>
}

interface FoldDefinition<K extends Kind, State, Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it visits. */
  readonly visits: readonly K[]
  start(): State
  /** Called in the order of walking: project, endpoints, sources, subscriptions. Keeps only what `conclude` needs. */
  visit(state: State, resource: JudgedResource<K>, place: Place): void
  conclude(state: State, context: Context<z.output<Schema>> & Looked): Iterable<LocatedProblem>
}

export interface Looked {
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
  /** `resource`, `drift`: one at a time; `look`: what looking at a project came to; else across resources. */
  readonly scope: 'resource' | 'drift' | 'look' | 'project' | 'fleet'
  /** Fields that it judges by and that no history keeps. */
  readonly unkept?: readonly string[]
  /** @throws ZodError when the options are not its own */
  bind(options: unknown): BoundRule
  /** What the policy file says of a rule of its own; undefined for those that come with the program. */
  readonly custom?: CustomDefinition
}

export interface CustomDefinition {
  /** Controls that it gives evidence for. */
  readonly controls: readonly string[]
  readonly remedy: string
  /** All that it decides by, for the policy's digest. */
  readonly source: JsonObject
}

/** Some rules do not look at what is around a resource; a judge always hands it over. */
export type BoundRule =
  | {
      readonly scope: 'resource'
      check(resource: Resource, now: number, surroundings?: Surroundings): Iterable<Problem>
      readonly dates?: (resource: Resource) => readonly string[]
    }
  | {
      readonly scope: 'drift'
      readonly kinds: readonly Kind[]
      /** How far back it looks for changes; 0 when it does not. */
      readonly lookbackMs: number
      check(drift: Drift, now: number): Iterable<Problem>
    }
  | { readonly scope: 'look'; check(look: Look): Iterable<Problem> }
  | { readonly scope: 'project'; readonly visits: readonly Kind[]; start(run?: Run): Fold }
  | {
      readonly scope: 'fleet'
      readonly visits: readonly Kind[]
      facts(resource: Resource): Iterable<FleetFact>
      conclude(alike: readonly LocatedFact[], now: number): Iterable<LocatedProblem>
    }

/** What a rule across projects keeps of a resource: a seal that others may have too, and what it wants to know then. */
export type FleetFact = readonly [seal: string, ...details: string[]]

export interface LocatedFact {
  readonly at: Place
  readonly details: readonly string[]
}

/** Where a resource stands. */
export interface Around extends Run {
  readonly project: ProjectRef
}

/** What a run gives to the rules of a policy file. */
export interface Run {
  /** Milliseconds since the epoch, the same for the whole run. */
  readonly now: number
  labelsOf(project: ProjectRef): Readonly<Record<string, string>>
  /** Called around whatever a policy file has us evaluate: all of it together has an end. */
  readonly meter: Meter
}

export interface Meter {
  begin(): void
  end(): void
  /** Whether the time that all evaluations of a run have together is used up. */
  isSpent(): boolean
}

export interface Fold {
  visit(resource: Resource, place: Place): void
  conclude(now: number, looked: Looked): Iterable<LocatedProblem>
}

export const noOptions = z.strictObject({})

/** A rule that looks at one resource at a time. */
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
        // The judge calls a rule with resources of its kind only, in the form that the inventory gives them.
        check(resource, now, surroundings = noSurroundings) {
          const { onNow } = surroundings
          const judged = resource as unknown as JudgedResource<K>
          // Two members and no more: with what only some rules ask for in it, every rule takes twice the time.
          const context = onNow === undefined ? { options, now } : telling({ options }, now, onNow)
          return definition.check(judged, context, surroundings)
        },
        ...(dates && { dates: (resource) => dates(resource as unknown as JudgedResource<K>) }),
      }
    },
  }
}

/** A context that tells when it is asked for the time. */
export function telling<Rest extends object>(rest: Rest, now: number, onNow: () => void): Rest & { now: number } {
  return {
    ...rest,
    get now() {
      onNow()
      return now
    },
  }
}

/** A rule that looks at the resources of a project together: it gathers while they pass and concludes at the end. */
export function foldRule<K extends Kind, State, Schema extends z.ZodObject = typeof noOptions>(
  definition: FoldDefinition<K, State, Schema>,
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
            visit: (resource, place) => definition.visit(state, resource as unknown as JudgedResource<K>, place),
            conclude: (now, looked) => definition.conclude(state, { options, now, ...looked }),
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
  return { id, title, severity, packs: [...themes, ...general], ...kept }
}
