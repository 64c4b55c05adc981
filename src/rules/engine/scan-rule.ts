import type { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import { describeRule, noOptions } from './define-rule.ts'
import type { Description, Rule, RuleFinding } from './rule.ts'
import type { ScanOutcome } from './scan-outcome.ts'

interface ScanRuleDefinition<Schema extends z.ZodObject> extends Description<Schema> {
  /** Kinds whose complete scan shows that a finding is gone. */
  readonly needs: readonly Kind[]
  check(scan: ScanOutcome): Iterable<RuleFinding>
}

/** A rule about the scan of a project itself; its findings are about the project. */
export function scanRule<Schema extends z.ZodObject = typeof noOptions>(definition: ScanRuleDefinition<Schema>): Rule {
  const schema = definition.options ?? noOptions
  return {
    ...describeRule(definition),
    kind: 'project',
    options: schema,
    needs: definition.needs,
    scope: 'scan',
    bind(raw) {
      schema.parse(raw)
      return { scope: 'scan', check: definition.check }
    },
  }
}
