import type { z } from 'zod'
import type { Kind } from '../../model/resource.ts'
import type { Look } from './look.ts'
import { type Description, describeRule, noOptions, type Problem, type Rule } from './rule.ts'

interface LookDefinition<Schema extends z.ZodObject> extends Description<Schema> {
  /** Kinds whose complete look says that a problem is gone. */
  readonly needs: readonly Kind[]
  check(look: Look): Iterable<Problem>
}

/** A rule about the look at a project itself; its problems are about the project. */
export function lookRule<Schema extends z.ZodObject = typeof noOptions>(definition: LookDefinition<Schema>): Rule {
  const schema = definition.options ?? noOptions
  return {
    ...describeRule(definition),
    kind: 'project',
    options: schema,
    needs: definition.needs,
    scope: 'look',
    bind(raw) {
      schema.parse(raw)
      return { scope: 'look', check: definition.check }
    },
  }
}
