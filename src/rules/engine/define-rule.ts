import { z } from 'zod'
import type { Kind, Resource } from '../../model/resource.ts'
import { isAtLeast } from '../../model/violation.ts'
import {
  type Completeness,
  type Description,
  type EvaluatedResource,
  type EvaluationContext,
  emptyContext,
  type FindingPlace,
  type LocatedRuleFinding,
  type Pack,
  type ResourceSettings,
  type Rule,
  type RuleFinding,
  type RuleSettings,
} from './rule.ts'

interface ResourceDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Paths into the attributes of this resource whose `since` its check asks for: the history is read for these alone. */
  dates?(resource: EvaluatedResource<K>): readonly string[]
  /** Returns its one finding or nothing; a rule that may find several things is a generator. */
  check(
    resource: EvaluatedResource<K>,
    context: ResourceSettings<z.output<Schema>>,
    evaluation: EvaluationContext,
  ): RuleFinding | Iterable<RuleFinding> | undefined
}

interface AggregateRuleDefinition<K extends Kind, State, Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it visits. */
  readonly visits: readonly K[]
  start(): State
  /** Called in the order of walking: project, endpoints, sources, event types, subscriptions. Keeps what `conclude` needs. */
  visit(state: State, resource: EvaluatedResource<K>, at: FindingPlace): void
  conclude(state: State, context: RuleSettings<z.output<Schema>> & Completeness): Iterable<LocatedRuleFinding>
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
      // One object for all resources of a run: with one for each check, checks take a third longer.
      let settings: ResourceSettings<z.output<Schema>> | undefined
      return {
        scope: 'resource',
        check(resource, time, evaluation = emptyContext) {
          if (settings?.time !== time) settings = { options, time }
          const found = definition.check(seenAs<K>(resource), settings, evaluation)
          return found === undefined ? nothing : listOf(found)
        },
        ...(dates && { dates: (resource) => dates(seenAs<K>(resource)) }),
      }
    },
  }
}

/** The evaluator calls a rule with resources of its kinds only, in the form that the inventory gives them. */
export function seenAs<K extends Kind>(resource: Resource): EvaluatedResource<K> {
  return resource as unknown as EvaluatedResource<K>
}

/** What most checks find. It is always this list, so that the silent ones are known at once. */
export const nothing: readonly RuleFinding[] = []

function listOf(found: RuleFinding | Iterable<RuleFinding>): Iterable<RuleFinding> {
  return Symbol.iterator in found ? found : [found]
}

/** A rule that checks the resources of a project together: it collects while they pass and concludes at the end. */
export function aggregateRule<K extends Kind, State, Schema extends z.ZodObject = typeof noOptions>(
  definition: AggregateRuleDefinition<K, State, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  const { visits } = definition
  return {
    ...describeRule(definition),
    kind: definition.kind,
    options: schema,
    needs: [...new Set([definition.kind, ...visits])],
    scope: 'project',
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'project',
        visits,
        start() {
          const state = definition.start()
          return {
            visit: (resource, at) => definition.visit(state, seenAs<K>(resource), at),
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
  fix,
}: Description<z.ZodObject>) {
  const some = { ...(unkept && { unkept }), ...(fix && { fix }) }
  if (optIn) return { id, title, severity, packs: [], ...some }
  const general: readonly Pack[] = isAtLeast(highest, 'medium') ? ['recommended', 'all'] : ['all']
  return { id, title, severity, packs: [...new Set([...themes, ...general])], ...some }
}
