import { compareFields, type SeenState } from '../gateway/inventory/compare-fields.ts'
import type { ManualStep } from '../gateway/repair/write-body.ts'
import type { FieldChange } from '../model/change.ts'
import { isWithinPointer, type JsonObject, pointersOverlap, valueAt, withValueAt } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'

/** What requests give a resource, and what of that differs from what is there. */
export interface Goal {
  readonly target: JsonObject
  readonly changes: readonly Pick<FieldChange, 'path'>[]
}

interface KnownGoal extends Goal {
  /** Values that the earlier state does not show: they stay as they are. */
  readonly steps: readonly ManualStep[]
  /** Why no request is printed: it would write values that are not known. Empty where there are none. */
  readonly obstacles: readonly ManualStep[]
}

interface GoalBasis {
  /** The state that values are put back from; undefined where none are. */
  readonly former: SeenState | undefined
  /** undefined where the resource is gone. */
  readonly now: SeenState | undefined
  /** Whether the target is the present state with changes, and not the former one. */
  readonly isPresent: boolean
}

/** A goal without values that are not known. */
export function knownGoal(kind: Kind, { target, changes }: Goal, { former, now, isPresent }: GoalBasis): KnownGoal {
  const isChanged = ({ path }: ManualStep) => changes.some((one) => pointersOverlap(one.path, path))
  const doubted = former === undefined ? [] : doubtsAt(kind, former)
  const lost = isPresent ? doubted.filter(isChanged) : doubted
  const isLost = ({ path }: Pick<FieldChange, 'path'>) => lost.some((one) => isWithinPointer(path, one.path))
  const hidden = now === undefined ? [] : doubtsAt(kind, now).filter(({ cause }) => cause === 'unseen')
  const unknown = hidden.filter((one) => isLost(one) || (isPresent && !isChanged(one)))
  const isThere = ({ path }: ManualStep) => now !== undefined && valueAt(now.attributes, path) !== undefined
  // The body of a request says it of attributes that no run has seen.
  const isSaid = ({ path }: ManualStep) => path.lastIndexOf('/') === 0
  return {
    target: lost.reduce((all, { path }) => withValueAt(all, path, now && valueAt(now.attributes, path)), target),
    changes: changes.filter((field) => !isLost(field)),
    steps: lost.flatMap((one) => {
      if (isThere(one)) return { path: one.path, reason: `What it was is unknown: ${one.reason}. It stays as it is.` }
      const reason = `Its value is not known: ${one.reason}. The request leaves it out.`
      return isSaid(one) ? [] : { path: one.path, reason }
    }),
    obstacles: unknown.filter(isThere).map(({ path, reason }) => {
      return { path, reason: `No request is printed, because it would write a value that is not known: ${reason}.` }
    }),
  }
}

/** The fields in doubt of a state. Of a mask the request has a placeholder. */
function doubtsAt(kind: Kind, state: SeenState) {
  const unknown = compareFields(kind, state, state).unknown.filter(({ cause }) => cause !== 'masked')
  return [...new Map(unknown.map((one) => [one.path, one])).values()].map(({ path, cause }) => {
    const reason = cause === 'unseen' ? 'the service did not show it' : 'the service showed a malformed one'
    return { path, cause, reason }
  })
}
