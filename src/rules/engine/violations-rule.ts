import type { z } from 'zod'
import { describeRule, noOptions } from './define-rule.ts'
import type { OverdueViolations } from './overdue-violations.ts'
import type { Description, Rule, RuleFinding } from './rule.ts'

interface ViolationsRuleDefinition<Schema extends z.ZodObject> extends Description<Schema> {
  check(overdue: OverdueViolations): Iterable<RuleFinding>
}

/** A rule about violations, evaluated when all others are reconciled; its findings are about the policy in a project. */
export function violationsRule<Schema extends z.ZodObject = typeof noOptions>(
  definition: ViolationsRuleDefinition<Schema>,
): Rule {
  const schema = definition.options ?? noOptions
  return {
    ...describeRule(definition),
    kind: 'policy',
    options: schema,
    needs: ['policy', 'project', 'endpoint', 'subscription', 'source'],
    scope: 'violations',
    bind(raw) {
      schema.parse(raw)
      return { scope: 'violations', check: definition.check }
    },
  }
}
