import { withoutMarks } from '../model/exact-number.ts'
import type { Kind } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { RuleFinding } from '../rules/engine/rule.ts'
import type { ActiveRule } from './policy.ts'

/** Makes a finding of what a rule returned: adds the rule, the policy's severity and the resource. */
export function stamp(
  { rule, severity }: ActiveRule,
  { kind, uid, name }: { readonly kind: Kind; readonly uid: string; readonly name: string },
  problem: RuleFinding,
): Finding {
  return {
    rule: rule.id,
    severity: severity ?? problem.severity ?? rule.severity,
    kind,
    uid,
    name,
    path: problem.path,
    message: withoutMarks(problem.message),
  }
}
