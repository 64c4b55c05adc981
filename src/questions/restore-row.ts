import type { BodyObject, Pieces } from '../gateway/repair/pieces.ts'
import type { ManualStep } from '../gateway/repair/write-body.ts'
import type { Identity } from '../history/sql/resource-life.ts'
import type { Kind } from '../model/resource.ts'
import type { FormerState, PutRight } from './former-state.ts'
import type { ReadyChange } from './ready-changes.ts'

export interface RestoreRow {
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  /** What the request does, as an imperative. */
  readonly purpose: string
  readonly method: string
  readonly url: Pieces
  readonly headers: Readonly<Record<string, Pieces>>
  readonly body: BodyObject | null
  readonly placeholders: readonly RestorePlaceholder[]
  /** JSON Pointers into the attributes: the fields that it puts back. Empty where it sets values that rules ask for. */
  readonly restores: readonly string[]
  /** Where it is one of two ways and it is not known which the service takes: a sentence that says when. */
  readonly when: string | null
}

/** A placeholder, for each place that has it. */
export interface RestorePlaceholder {
  /** Written as `${NAME}` there; elsewhere, such a text is none. */
  readonly name: string
  /** `body`: the value at the path is or contains it; `body_name`: the name of the member there does. */
  readonly in: 'url' | 'header' | 'body' | 'body_name'
  /** JSON Pointer into the body; null for one of the address or a header. */
  readonly path: string | null
  /** What to fill in. */
  readonly hint: string
}

/** What requests for several resources leave out, and of which. */
export interface StepOfResource extends ManualStep {
  readonly uid: string
}

/** What the text says beyond the rows. */
export interface Restoration {
  readonly resource: Identity & { readonly name: string }
  /** undefined when there is no former state, or when violations are fixed instead. */
  readonly former: FormerState | undefined
  /** The change that put the resource right, and the run whose state was before it: nothing is to be restored. */
  readonly putRight: (PutRight & { readonly undoneBy: number }) | undefined
  /** The rule that a person named. */
  readonly rule: string | undefined
  /** Values that rules ask for. */
  readonly fixes: readonly ReadyChange[]
  /** Fields that stay, because a person approved or accepted them as they are. */
  readonly kept: readonly ManualStep[]
  readonly isGone: boolean
  /** Whether nothing that can be compared differs from the former state. */
  readonly isSame: boolean
  /** Whether the state before the oldest one that is left was pruned. */
  readonly wasPruned: boolean
  /** Of what it cannot be said whether it differs from it: JSON Pointers, or words. */
  readonly unknown: readonly string[]
  readonly manualSteps: readonly ManualStep[]
  /** Subscriptions that went with the resource. */
  readonly dependents: readonly { readonly uid: string; readonly name: string }[]
  readonly notes: readonly string[]
}
