import type { FieldChange } from '../model/change.ts'
import { type JsonObject, valueAt, withValueAt } from '../model/json.ts'

/** A field whose changes are not drift, with all below it. */
export interface IgnoredPath {
  /** A JSON Pointer into the attributes, with `*` for any one step. */
  readonly path: string
  /** `file:line:column` of the policy. */
  readonly at: string
}

/** Whether a field is ignored: it, or what contains it, is named. */
export function isIgnoredBy({ path }: Pick<IgnoredPath, 'path'>, pointer: string): boolean {
  const [steps, those] = [path.split('/'), pointer.split('/')]
  return steps.length <= those.length && steps.every((step, at) => step === '*' || step === those[at])
}

export interface ComparedFields {
  readonly before: JsonObject
  readonly after: JsonObject
  readonly fields: readonly FieldChange[]
}

export interface KeptChanges {
  /** As it was, but with the ignored fields as they are now: for rules that read attributes. */
  readonly before: JsonObject
  readonly fields: readonly FieldChange[]
  /** How many changes were left out, by the path that names them first. */
  readonly leftOut: ReadonlyMap<string, number>
}

const nothing: ReadonlyMap<string, number> = new Map()

/** Leaves the changes of ignored fields out of a comparison. The snapshots themselves stay complete. */
export function leaveOutIgnored(
  ignored: readonly IgnoredPath[],
  { before, after, fields }: ComparedFields,
): KeptChanges {
  if (ignored.length === 0 || fields.length === 0) return { before, fields, leftOut: nothing }
  const kept: FieldChange[] = []
  const leftOut = new Map<string, number>()
  let patched = before
  for (const field of fields) {
    const by = ignored.find((one) => isIgnoredBy(one, field.path))
    if (by === undefined) {
      kept.push(field)
      continue
    }
    leftOut.set(by.path, (leftOut.get(by.path) ?? 0) + 1)
    patched = withValueAt(patched, field.path, valueAt(after, field.path))
  }
  return { before: patched, fields: kept, leftOut }
}
