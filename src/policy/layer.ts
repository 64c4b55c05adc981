import type { RuleSetting } from './policy-schema.ts'

/** The settings of one layer, by rule; later layers win, rule by rule and option by option. */
export type Layer = ReadonlyMap<string, RuleStatement>

export interface RuleStatement {
  readonly setting: RuleSetting
  /** The kind of layer: `pack recommended`, `rules`, `custom`, `override`. */
  readonly layer: string
  /** `file:line:column`; undefined for defaults. */
  readonly at: string | undefined
}
