import { driftRules } from './drift/drift-rules.ts'
import { endpointRules } from './endpoint/endpoint-rules.ts'
import type { Rule } from './engine/rule.ts'
import { policyRules } from './policy/policy-rules.ts'
import { probeRules } from './probe/probe-rules.ts'
import { projectRules } from './project/project-rules.ts'
import { releaseVulnerable } from './service/release-vulnerable.ts'
import { urlNotHttps } from './service/url-not-https.ts'
import { sourceRules } from './source/source-rules.ts'
import { subscriptionRules } from './subscription/subscription-rules.ts'

/** Every rule in the order of ids. */
export const rules: readonly Rule[] = [
  ...driftRules,
  ...endpointRules,
  ...probeRules,
  ...projectRules,
  ...sourceRules,
  ...subscriptionRules,
  ...policyRules,
  releaseVulnerable,
  urlNotHttps,
].sort(({ id: a }, { id: b }) => (a < b ? -1 : 1))

const byId: ReadonlyMap<string, Rule> = new Map(rules.map((rule) => [rule.id, rule]))

/** A rule that comes with the program; undefined for those of a policy file. */
export function builtInRule(id: string): Rule | undefined {
  return byId.get(id)
}
