import type { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import type { AttributesByKind } from './attributes.ts'
import type { Drift } from './drift.ts'
import { type Description, describeRule, noOptions, type Rule, type RuleFinding, type RuleSettings } from './rule.ts'

export interface EvaluatedDrift<K extends Kind> extends Omit<Drift, 'kind' | 'before' | 'after'> {
  readonly kind: K
  readonly before: AttributesByKind[K] | undefined
  readonly after: AttributesByKind[K] | undefined
}

interface DriftDefinition<K extends Kind, Schema extends z.ZodObject> extends Description<Schema> {
  /** Kinds that it compares; lists show the first one. */
  readonly kinds: readonly [K, ...K[]]
  check(drift: EvaluatedDrift<K>, context: RuleSettings<z.output<Schema>>): Iterable<RuleFinding>
  lookbackMs?(options: z.output<Schema>): number
}

/** A rule that compares a resource with what it was. */
export function driftRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  definition: DriftDefinition<K, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  const { kinds } = definition
  return {
    ...describeRule(definition),
    kind: kinds[0],
    options: schema,
    needs: kinds,
    scope: 'drift',
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'drift',
        kinds,
        lookbackMs: definition.lookbackMs?.(options) ?? 0,
        // The evaluator calls a rule with resources of its kinds only, in the form that the inventory gives them.
        check: (drift, now) => definition.check(drift as unknown as EvaluatedDrift<K>, { options, now }),
      }
    },
  }
}
