import { z } from 'zod'
import type { Kind, Resource } from '../../model/resource.ts'
import { readDuration } from '../../model/time.ts'
import { isAtLeast } from '../../model/violation.ts'
import type { AttributesByKind } from './attributes.ts'
import {
  type Bound,
  type BoundRule,
  type Completeness,
  type Description,
  type Drift,
  type DriftLife,
  type EvaluatedResource,
  type EvaluationContext,
  emptyContext,
  type FleetFact,
  type LocatedFact,
  type LocatedRuleFinding,
  type OverdueViolations,
  type Pack,
  type ProjectRuleFinding,
  type ResourcesOfProject,
  type Rule,
  type RuleFinding,
  type RuleSettings,
  type ScanOutcome,
} from './rule.ts'

/** A rule that checks one resource at a time. */
export function resourceRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  kind: K,
  definition: ResourceDefinition<K, Schema>,
): Rule {
  const { dates } = definition
  return ruleOf(definition, { kind, scope: 'resource' }, (options) => {
    // One object for all resources of a run: with one for each check, checks take a third longer.
    let settings: RuleSettings<z.output<Schema>> | undefined
    return {
      scope: 'resource',
      check(resource, now, evaluation = emptyContext) {
        if (settings?.now !== now) settings = { options, now }
        const result = definition.check(seenAs<K>(resource), settings, evaluation)
        return result === undefined ? nothing : listOf(result)
      },
      ...(dates && { dates: (resource) => dates(seenAs<K>(resource)) }),
    }
  })
}

/** A rule that checks the resources of a project together. */
export function projectRule<Schema extends z.ZodObject = typeof noOptions>(
  definition: ProjectRuleDefinition<Schema>,
): Rule {
  const { kind, reads } = definition
  return ruleOf(definition, { kind, needs: [...new Set([kind, ...reads])], scope: 'project' }, (options) => ({
    scope: 'project',
    reads,
    check: (project) =>
      definition.check({
        options,
        isComplete: project.isComplete,
        cannotSay: project.cannotSay,
        all: <K extends Kind>(kind: K) => project.all(kind) as unknown as readonly EvaluatedResource<K>[],
      }),
  }))
}

/** A rule that finds one field of a resource as it should not be. It reads the attributes and nothing else. */
export function fieldRule<K extends Kind, Path extends FieldPath<AttributesByKind[K]>>(
  kind: K,
  { fix, ...definition }: FieldDefinition<K, Path>,
): Rule {
  const { path, isWrong, says } = definition
  return resourceRule(kind, {
    ...definition,
    fix: fix === undefined ? undefined : { path, value: fix },
    check: ({ attributes }) =>
      isWrong(attributes) ? { path, message: typeof says === 'string' ? says : says(attributes) } : undefined,
  })
}

/** A rule that finds a number above what its option allows. */
export function most<K extends Kind>(kind: K, definition: LimitDefinition<K>): Rule {
  return limitRule(kind, 'most', definition)
}

/** A rule that finds a number below what its option asks for. */
export function least<K extends Kind>(kind: K, definition: LimitDefinition<K>): Rule {
  return limitRule(kind, 'least', definition)
}

/** What most checks find. It is always this list, so that the silent ones are known at once. */
export const nothing: readonly RuleFinding[] = []

export interface EvaluatedDrift<K extends Kind> extends Omit<Drift, 'kind' | 'before' | 'after'> {
  readonly kind: K
  readonly before: AttributesByKind[K] | undefined
  readonly after: AttributesByKind[K] | undefined
}

/** The option of rules about changes that are often meant: after that time their violations end as `expired`. */
export const openFor = z
  .string()
  .refine(isOpenFor, 'a duration such as `30d` (units s, m, h, d, w), or `never`')
  .default('30d')
  .describe('How long a violation stays open at most; `never`: until the value is restored')

/** A rule that compares a resource with what it was. */
export function driftRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  definition: DriftDefinition<K, Schema>,
): Rule {
  const { kinds, life = 'restored', isLost = false } = definition
  const isRestorable = life === 'restored' && !isLost
  return ruleOf(definition, { kind: kinds[0], needs: kinds, scope: 'drift', life, isRestorable }, (options) => ({
    scope: 'drift',
    kinds,
    lookbackMs: definition.lookbackMs?.(options) ?? 0,
    reportsWith: definition.reportsWith ?? [],
    openForMs: openForMsOf(options),
    // The evaluator calls a rule with resources of its kinds only, in the form that the inventory gives them.
    check: (drift, now) => definition.check(drift as unknown as EvaluatedDrift<K>, { options, now }),
  }))
}

/** A rule about secrets that resources of several projects share: it groups their facts by seal at the end of a run. */
export function fleetRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  definition: FleetDefinition<K, Schema>,
): Rule {
  const { kind, visits } = definition
  return ruleOf(definition, { kind, needs: [...new Set([kind, ...visits])], scope: 'fleet' }, (options) => ({
    scope: 'fleet',
    visits,
    facts: (resource) => definition.facts(seenAs<K>(resource)),
    *conclude(alike, now) {
      for (const name of new Set(alike.map(({ at }) => at.project.name))) {
        const inProject = alike.filter(({ at }) => at.project.name === name)
        const elsewhere = alike.filter(({ at }) => at.project.name !== name)
        yield* definition.conclude(inProject, elsewhere, { options, now })
      }
    },
  }))
}

/** A rule about the scan of a project, or about a service; its findings are about that. */
export function scanRule(definition: ScanRuleDefinition): Rule {
  const { kind = 'project', needs, needsIfListed, check } = definition
  return ruleOf(definition, { kind, needs, needsIfListed, scope: 'scan' }, () => ({ scope: 'scan', check }))
}

/** A rule about violations, evaluated when all others are reconciled; its findings are about the policy in a project. */
export function violationsRule(definition: ViolationsRuleDefinition): Rule {
  const needs = ['policy', 'project', 'endpoint', 'subscription', 'source'] as const
  const { check } = definition
  return ruleOf(definition, { kind: 'policy', needs, scope: 'violations' }, () => ({ scope: 'violations', check }))
}

interface ResourceDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Paths into the attributes of this resource whose `since` its check asks for: the history is read for these alone. */
  dates?(resource: EvaluatedResource<K>): readonly string[]
  /** Returns its one finding or nothing; a rule that may find several things is a generator. */
  check(
    resource: EvaluatedResource<K>,
    context: RuleSettings<z.output<Schema>>,
    evaluation: EvaluationContext,
  ): RuleFinding | Iterable<RuleFinding> | undefined
}

interface ProjectRuleDefinition<Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it reads. */
  readonly reads: readonly Kind[]
  /** It is not given the time. */
  check(project: ProjectResources<z.output<Schema>>): Iterable<ProjectRuleFinding>
}

/** What a rule across resources gets. */
interface ProjectResources<Options> extends Completeness, Pick<ResourcesOfProject, 'cannotSay'> {
  readonly options: Options
  all<K extends Kind>(kind: K): readonly EvaluatedResource<K>[]
}

const noOptions = z.strictObject({})

/** The evaluator calls a rule with resources of its kinds only, in the form that the inventory gives them. */
function seenAs<K extends Kind>(resource: Resource): EvaluatedResource<K> {
  return resource as unknown as EvaluatedResource<K>
}

function listOf(result: RuleFinding | Iterable<RuleFinding>): Iterable<RuleFinding> {
  return Symbol.iterator in result ? result : [result]
}

/** A rule of what its file says, of which shape, and what its options make of it. */
function ruleOf<Schema extends z.ZodObject>(
  definition: Description<Schema>,
  shape: Pick<Rule, 'kind' | 'scope'> & Partial<Pick<Rule, 'needs' | 'needsIfListed' | 'life' | 'isRestorable'>>,
  bound: (options: z.output<Schema>) => BoundRule,
): Rule {
  const { id, title, severity, packs: themes, highest = severity, optIn } = definition
  const { unrecorded, acceptedWith, fix, takesText, readsRows, licence, skipsMasked, options = noOptions } = definition
  const general: readonly Pack[] = isAtLeast(highest, 'medium') ? ['recommended', 'all'] : ['all']
  return {
    id,
    title,
    severity,
    packs: optIn ? [] : [...new Set([...themes, ...general])],
    unrecorded,
    acceptedWith,
    fix,
    takesText,
    readsRows,
    licence,
    skipsMasked,
    options,
    needs: [shape.kind],
    ...shape,
    bind: (raw) => bound(options.parse(raw) as z.output<Schema>),
  }
}

interface FieldDefinition<K extends Kind, Path extends string> extends Omit<Description<never>, 'fix' | 'options'> {
  /** Where its problem is. */
  readonly path: Path
  isWrong(attributes: AttributesByKind[K]): boolean
  /** The message, or what makes it of the attributes that are wrong. */
  readonly says: string | ((attributes: AttributesByKind[K]) => string)
  /** The value at the path that ends a violation. */
  readonly fix?: FieldValue<AttributesByKind[K], Path>
}

interface LimitDefinition<K extends Kind> extends Omit<Description<never>, 'fix' | 'options'> {
  readonly path: FieldPath<AttributesByKind[K]>
  /** The number that is compared; silent where it is none. */
  of(attributes: AttributesByKind[K]): number | null | undefined
  /** The name of the option that has the bound, and what it may be. */
  readonly option: string
  readonly limit: z.ZodType<number>
  says(number: number, limit: number, attributes: AttributesByKind[K]): string
  /** Where the number at the path is the one that is compared: the nearest within the bound ends a violation. */
  readonly fix?: 'nearest'
}

function limitRule<K extends Kind>(kind: K, bound: Bound['bound'], { fix, ...definition }: LimitDefinition<K>): Rule {
  const { path, of, option, says } = definition
  return resourceRule(kind, {
    ...definition,
    fix: fix && { path, bound, option },
    options: z.strictObject({ [option]: definition.limit }),
    check({ attributes }, { options }) {
      // The schema has no other option, and a default for this one.
      const { [option]: limit = Number.NaN } = options
      const number = of(attributes)
      if (typeof number !== 'number') return undefined
      const isBroken = bound === 'most' ? number > limit : number < limit
      return isBroken ? { path, message: says(number, limit, attributes) } : undefined
    },
  })
}

/** JSON Pointers to the fields of attributes; not into lists and maps, whose members no type names. */
type FieldPath<Attributes> = Attributes extends readonly unknown[]
  ? never
  : Attributes extends object
    ? { [Name in keyof Attributes & string]-?: FieldPathAt<Name, NonNullable<Attributes[Name]>> }[keyof Attributes &
        string]
    : never

type FieldPathAt<Name extends string, Value> = string extends Name ? never : `/${Name}` | `/${Name}${FieldPath<Value>}`

/** What the field at a pointer may hold. */
type FieldValue<Attributes, Path extends string> = Path extends `/${infer Name}/${infer Rest}`
  ? FieldValue<Member<Attributes, Name>, `/${Rest}`>
  : Path extends `/${infer Name}`
    ? Member<Attributes, Name>
    : never

type Member<Attributes, Name extends string> = Name extends keyof Attributes ? NonNullable<Attributes[Name]> : never

interface DriftDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Kinds that it compares; lists show the first one. */
  readonly kinds: readonly [K, ...K[]]
  check(drift: EvaluatedDrift<K>, context: RuleSettings<z.output<Schema>>): Iterable<RuleFinding>
  lookbackMs?(options: z.output<Schema>): number
  /** What ends its violations. Default: `restored`. */
  readonly life?: DriftLife
  /** Fields that a finding reports besides the one at its path: `drift/unexpected` leaves them out. */
  readonly reportsWith?: readonly string[]
  /** No request puts back what it finds: the former value is in no history. */
  readonly isLost?: true
}

function isOpenFor(text: string): boolean {
  return text === 'never' || readDuration(text) !== undefined
}

/** Rules without the option never let a violation expire. */
function openForMsOf({ open_for = 'never' }: { readonly open_for?: unknown }): number {
  return readDuration(String(open_for)) ?? Number.POSITIVE_INFINITY
}

interface FleetDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it keeps facts of. */
  readonly visits: readonly K[]
  /** Its secrets, each with what `conclude` wants to know. */
  facts(resource: Omit<EvaluatedResource<K>, 'volatile'>): readonly FleetFact[]
  /**
   * Called for each project with facts of one seal: with those in it, and with those elsewhere, two or more in all.
   * A finding is read by people who may know of its project alone, so its message counts and names nothing that is elsewhere.
   */
  conclude(
    inProject: readonly LocatedFact[],
    elsewhere: readonly LocatedFact[],
    context: RuleSettings<z.output<Schema>>,
  ): Iterable<LocatedRuleFinding>
}

interface ScanRuleDefinition extends Description<typeof noOptions> {
  /** Default: `project`. */
  readonly kind?: 'service'
  /** Kinds whose complete scan shows that a finding is gone. */
  readonly needs: readonly Kind[]
  readonly needsIfListed?: readonly Kind[]
  check(scan: ScanOutcome): Iterable<RuleFinding>
}

interface ViolationsRuleDefinition extends Description<typeof noOptions> {
  check(overdue: OverdueViolations): Iterable<RuleFinding>
}
