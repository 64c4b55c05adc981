import type { Setting } from './policy-schema.ts'

/** What one layer says, by rule; later layers win, rule by rule and option by option. */
export type Layer = ReadonlyMap<string, Said>

export interface Said {
  readonly setting: Setting
  /** What kind of layer says it: `pack recommended`, `rules`, `custom`, `override`. */
  readonly layer: string
  /** `file:line:column`; undefined for what holds without a word. */
  readonly at: string | undefined
}
