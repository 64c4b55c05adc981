import type { RuleSetting } from './policy-schema.ts'

/** What one layer says, by rule; later layers win, rule by rule and option by option. */
export type Layer = ReadonlyMap<string, RuleStatement>

export interface RuleStatement {
  readonly setting: RuleSetting
  /** What kind of layer says it: `pack recommended`, `rules`, `custom`, `override`. */
  readonly layer: string
  /** `file:line:column`; undefined for what holds without a word. */
  readonly at: string | undefined
}
