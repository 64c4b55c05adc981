import type { Json } from '../model/json.ts'
import type { Severity } from '../model/violation.ts'
import type { Pack, Rule } from '../rules/engine/rule.ts'
import { rules } from '../rules/rules.ts'
import type { ActiveRule, Layer, RuleStatement } from './policy.ts'

export function packLayer(pack: Pack, at: string | undefined): Layer {
  const statement: RuleStatement = { setting: {}, layer: `pack ${pack}`, at }
  return new Map(rules.filter((rule) => rule.packs.includes(pack)).map((rule) => [rule.id, statement]))
}

/** Folds what the layers say of each rule. Naming a rule switches it on; `off` takes everything before it away. */
export function activateRules(rules: readonly Rule[], layers: readonly Layer[]): readonly ActiveRule[] {
  return rules.flatMap((rule) => {
    const setting = foldSettings(rule, layers)
    if (setting === undefined) return []
    const options = rule.options.parse(setting.options)
    // Options are decoded values of the policy file: JSON by their schemas.
    return [{ rule, severity: setting.severity, options: options as Json, bound: rule.bind(options) }]
  })
}

function foldSettings(rule: Rule, layers: readonly Layer[]) {
  let setting: { severity: Severity | undefined; options: Record<string, unknown> } | undefined
  for (const layer of layers) {
    const said = layer.get(rule.id)?.setting
    if (said === undefined) continue
    const { severity, ...options } = typeof said === 'string' ? { severity: said } : said
    if (severity === 'off') setting = undefined
    else {
      setting = { severity: severity ?? setting?.severity, options: { ...setting?.options, ...given(options) } }
    }
  }
  return setting
}

function given(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}
