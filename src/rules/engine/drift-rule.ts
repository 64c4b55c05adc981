import { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import { readDuration } from '../../model/time.ts'
import type { AttributesByKind } from './attributes.ts'
import { describeRule, noOptions } from './define-rule.ts'
import type { Drift } from './drift.ts'
import type { Description, DriftLife, Rule, RuleFinding, RuleSettings } from './rule.ts'

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
  /** What ends its violations. Default: `restored`. */
  readonly life?: DriftLife
}

/** The option of rules about changes that are often meant: after that time their violations end as `expired`. */
export const openFor = z
  .string()
  .refine(isOpenFor, 'a duration such as `30d` (units s, m, h, d, w), or `never`')
  .default('30d')
  .describe('How long a violation stays open at most; `never`: until the value is back')

function isOpenFor(text: string): boolean {
  return text === 'never' || readDuration(text) !== undefined
}

/** Rules without the option never let a violation expire. */
function openForMsOf({ open_for = 'never' }: { readonly open_for?: unknown }): number {
  return readDuration(String(open_for)) ?? Number.POSITIVE_INFINITY
}

/** A rule that compares a resource with what it was. */
export function driftRule<K extends Kind, Schema extends z.ZodObject = typeof noOptions>(
  definition: DriftDefinition<K, Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  const { kinds, life = 'restored' } = definition
  return {
    ...describeRule(definition),
    kind: kinds[0],
    options: schema,
    needs: kinds,
    scope: 'drift',
    life,
    bind(raw) {
      const options = schema.parse(raw) as z.output<Schema>
      return {
        scope: 'drift',
        kinds,
        lookbackMs: definition.lookbackMs?.(options) ?? 0,
        openForMs: openForMsOf(options),
        // The evaluator calls a rule with resources of its kinds only, in the form that the inventory gives them.
        check: (drift, now) => definition.check(drift as unknown as EvaluatedDrift<K>, { options, now }),
      }
    },
  }
}
