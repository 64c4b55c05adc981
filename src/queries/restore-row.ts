import type { Identity } from '../history/reader.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { LeftToYou } from '../repair/write-body.ts'
import type { FormerState } from './former-state.ts'
import type { ReadyChange } from './ready-changes.ts'

export interface RestoreRow {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  /** What the request does, as an imperative. */
  readonly purpose: string
  readonly method: string
  /** With placeholders, as headers and body. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject | null
  readonly placeholders: readonly RestorePlaceholder[]
  /** JSON Pointers into the attributes: the fields that it puts back. Empty where it sets values that rules ask for. */
  readonly restores: readonly string[]
}

export interface RestorePlaceholder {
  /** Written as `${NAME}`. */
  readonly name: string
  /** JSON Pointer into the body; null for one of the address or a header. */
  readonly path: string | null
  /** What to fill in. */
  readonly hint: string
}

/** What the text says beyond the rows. */
export interface Restoration {
  readonly resource: Identity & { readonly name: string }
  /** undefined when there is no former state, or when violations are fixed instead. */
  readonly former: FormerState | undefined
  /** The rule that a person named. */
  readonly rule: string | undefined
  /** Values that rules ask for. */
  readonly fixes: readonly ReadyChange[]
  readonly isGone: boolean
  readonly left: readonly LeftToYou[]
  /** Subscriptions that went with the resource. */
  readonly dependents: readonly { readonly uid: string; readonly name: string }[]
  readonly notes: readonly string[]
}
