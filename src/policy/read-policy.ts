import { compileCustomRule } from './cel/custom-rule.ts'
import { expectExpression } from './cel/payload-expression.ts'
import type { Policy } from './policy.ts'
import { policySteps } from './policy-steps.ts'
import { inOneGo } from './steps.ts'

/**
 * Reads the policy of a file at once; without one, the `recommended` pack. `now`: milliseconds, from which waivers may
 * not last too long; undefined: unchecked.
 * @throws AuditError.usage with a line for every mistake, as `file:line:column`
 */
export function readPolicy(file: string | undefined, readFile: (file: string) => string, now?: number): Policy {
  return inOneGo(policySteps(file, readFile, now, () => ({ compileCustomRule, expectExpression })))
}
