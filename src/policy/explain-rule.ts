import type { Json } from '../model/json.ts'
import type { Severity, Waiver } from '../model/violation.ts'
import type { Rule } from '../rules/engine/rule.ts'
import type { Policy, RuleStatement, RuleTarget } from './policy.ts'
import type { RuleSetting } from './policy-schema.ts'

/** What a policy says of one rule for one resource, and who in it says so. */
export interface Explanation {
  readonly rule: string
  /** `off` where it does not apply. */
  readonly severity: Severity | 'off'
  readonly options: Json
  /** The catalogue, then each layer of the policy that names the rule; later ones win. */
  readonly layers: readonly ExplainedLayer[]
  /** Waivers that match its findings there, also expired ones. */
  readonly waivers: readonly (Waiver & { readonly match: string })[]
}

export interface ExplainedLayer extends RuleStatement {
  /** Of the rule as of this layer; of the catalogue, its default. */
  readonly severity: Severity | 'off'
  /** Whether this layer of the policy decides if the rule is on, and how severe it is. */
  readonly decides: boolean
}

export function explainRule(policy: Policy, rule: Rule, { project, labels, resource }: RuleTarget): Explanation {
  const indexes = policy.overrides.flatMap((override, index) =>
    override.matches(project, labels, resource) ? [index] : [],
  )
  const layers = [...policy.layers, ...indexes.flatMap((index) => policy.overrides[index]?.layer ?? [])]
  const statements = layers.flatMap((layer) => layer.get(rule.id) ?? [])
  const active = policy.rulesUnder(indexes).find(({ rule: { id } }) => id === rule.id)
  const settings = statements.map(({ setting }) => setting)
  const deciding = decidingIndex(settings)
  const reached = severitiesAfter(settings, rule.severity)
  return {
    rule: rule.id,
    severity: active === undefined ? 'off' : (active.severity ?? rule.severity),
    options: active?.options ?? {},
    layers: [
      ...inCatalogue(rule),
      ...statements.map((each, index) => ({ ...each, severity: reached[index] ?? 'off', decides: index === deciding })),
    ],
    waivers: policy.waivers
      .filter((waiver) => waiver.covers(rule.id) && waiver.accepts(project, labels, resource))
      .map(({ terms, match }) => ({ ...terms, match })),
  }
}

/** The last one that switches it on or off or says how severe it is; one that only gives options decides neither. */
function decidingIndex(settings: readonly RuleSetting[]): number | undefined {
  let deciding: number | undefined
  let isOn = false
  for (const [index, setting] of settings.entries()) {
    const severity = typeof setting === 'string' ? setting : setting.severity
    if (!isOn || severity !== undefined) deciding = index
    isOn = severity !== 'off'
  }
  return deciding
}

/** What hookdrift itself says of a rule; a rule of the policy file has only what the file says. */
function inCatalogue({ severity, custom }: Rule): ExplainedLayer[] {
  if (custom !== undefined) return []
  return [{ layer: 'catalogue', setting: severity, at: undefined, severity, decides: false }]
}

/** The severity after each setting: one that names none keeps it, and the first after `off` starts from the default. */
function severitiesAfter(settings: readonly RuleSetting[], fallback: Severity): (Severity | 'off')[] {
  let current: Severity | 'off' = 'off'
  return settings.map((setting) => {
    const given = typeof setting === 'string' ? setting : setting.severity
    current = given ?? (current === 'off' ? fallback : current)
    return current
  })
}
