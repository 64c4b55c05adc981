import type { FieldChange } from '../../model/change.ts'
import { isJsonObject, isWithinPointer, type Json, memberOf, pointerStep, pointersOverlap } from '../../model/json.ts'
import { type DoubtCause, doubtsIn, type Kind, type Resource } from '../../model/resource.ts'
import { areSealedInTwoForms, diffAttributes, holdsMasks, holdsSeals } from './diff-attributes.ts'
import { isStored } from './malformed.ts'

/** What was seen of a resource, as far as another state of it is compared with it. */
export interface SeenState extends Pick<Resource, 'attributes'> {
  /** Why fields are in doubt, by their paths; absent if none is. */
  readonly doubts?: Readonly<Record<string, { readonly cause: UnknownCause }>> | undefined
  /** Which installation key sealed it. */
  readonly sealKeyId: string
}

/** Why it cannot be said whether a field is equal. `seal_key_changed`: another key, or another form of sealing. */
export type UnknownCause = DoubtCause | 'rows_unread' | 'seal_key_changed' | 'masked'

export interface FieldInDoubt {
  /** JSON Pointer. */
  readonly path: string
  readonly cause: UnknownCause
}

/** What is neither in `changed` nor in `unknown` is equal. */
export interface FieldComparison {
  /** Fields that differ. */
  readonly changed: readonly FieldChange[]
  /** Fields of which it cannot be said. */
  readonly unknown: readonly FieldInDoubt[]
  /** JSON Pointers of those that were sealed under another key, or in another form. */
  readonly resealed: readonly string[]
  /** What differs in what was last seen of both, in doubt or not. */
  readonly asSeen: readonly FieldChange[]
}

/** Compares two states field by field: the one function of all comparisons. A field in doubt in either is unknown. */
export function compareFields(kind: Kind, before: SeenState, after: SeenState): FieldComparison {
  const doubted: FieldInDoubt[] = [before, after].flatMap(doubtsIn).filter(({ path }) => isStored(kind, path))
  const sealsComparable = before.sealKeyId === after.sealKeyId
  const unseen = doubted.flatMap(({ path, cause }) => (cause === 'unseen' ? path : []))
  const asSeen = diffAttributes(kind, before.attributes, after.attributes, { sealsComparable, unseen })
  const isInDoubt = ({ path }: FieldChange) => doubted.some((doubt) => isWithinPointer(path, doubt.path))
  const hidden = [...hiddenValues(before.attributes, after.attributes, sealsComparable)]
  const isShown = ({ path }: FieldInDoubt) => asSeen.some((field) => pointersOverlap(field.path, path))
  return {
    changed: asSeen.filter((field) => !isInDoubt(field)),
    unknown: [...doubted, ...hidden.filter((field) => field.cause !== 'masked' || !isShown(field))],
    resealed: hidden.flatMap(({ path, cause }) => (cause === 'seal_key_changed' ? path : [])),
    asSeen,
  }
}

/** Values that hold seals of which cannot be said whether they are equal: of two keys, of two forms, or masks. */
function* hiddenValues(
  before: Json,
  after: Json | undefined,
  sealsComparable: boolean,
  path = '',
): Generator<FieldInDoubt> {
  if (after === undefined) return
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const [key, value] of Object.entries(before)) {
      yield* hiddenValues(value, memberOf(after, key), sealsComparable, `${path}/${pointerStep(key)}`)
    }
  } else if (sealsComparable ? areSealedInTwoForms(before, after) : holdsSeals(before) && holdsSeals(after)) {
    yield { path, cause: 'seal_key_changed' }
  } else if (holdsMasks(before) || holdsMasks(after)) yield { path, cause: 'masked' }
}
