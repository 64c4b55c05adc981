import type { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import { describeRule, noOptions, seenAs } from './define-rule.ts'
import type {
  Description,
  EvaluatedResource,
  FleetFact,
  LocatedFact,
  LocatedRuleFinding,
  Rule,
  RuleSettings,
} from './rule.ts'

interface FleetDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** The kind that its problems are about. */
  readonly kind: Kind
  /** Kinds that it keeps facts of. */
  readonly visits: readonly K[]
  /** Its secrets, each with what `conclude` wants to know. */
  facts(resource: Omit<EvaluatedResource<K>, 'volatile'>): readonly FleetFact[]
  /**
   * Called for each project with facts of one seal: with its own, and with those of other projects, two or more in all.
   * A finding is read by people who may know of its project alone, so its message counts and names nothing of `others`.
   */
  conclude(
    own: readonly LocatedFact[],
    others: readonly LocatedFact[],
    context: RuleSettings<z.output<Schema>>,
  ): Iterable<LocatedRuleFinding>
}

/** A rule about secrets that resources of several projects share: it groups their facts by seal at the end of a run. */
export function fleetRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  definition: FleetDefinition<K, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  return {
    ...describeRule(definition),
    kind: definition.kind,
    options: schema,
    needs: [...new Set([definition.kind, ...definition.visits])],
    scope: 'fleet',
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'fleet',
        visits: definition.visits,
        facts: (resource) => definition.facts(seenAs<K>(resource)),
        *conclude(alike, now) {
          for (const name of new Set(alike.map(({ at }) => at.project.name))) {
            const own = alike.filter(({ at }) => at.project.name === name)
            const others = alike.filter(({ at }) => at.project.name !== name)
            yield* definition.conclude(own, others, { options, now })
          }
        },
      }
    },
  }
}
