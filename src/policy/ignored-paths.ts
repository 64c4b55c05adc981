import { type Field, type Members, wireSchema } from '../gateway/fields.ts'
import type { FieldChange } from '../model/change.ts'
import { type JsonObject, valueAt, withValueAt } from '../model/json.ts'
import { nearestName } from '../model/text/nearest-name.ts'
import { describeReference } from '../model/yaml/describe-value.ts'

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

export interface ComparedChanges {
  /** As it was, but with the ignored fields as they are now: for rules that read attributes. */
  readonly before: JsonObject
  readonly fields: readonly FieldChange[]
  /** How many changes were ignored, by the path that names them first. */
  readonly ignoredCounts: ReadonlyMap<string, number>
}

const nothing: ReadonlyMap<string, number> = new Map()

/** Leaves the changes of ignored fields out of a comparison. The snapshots themselves stay complete. */
export function leaveOutIgnored(
  ignored: readonly IgnoredPath[],
  { before, after, fields }: ComparedFields,
): ComparedChanges {
  if (ignored.length === 0 || fields.length === 0) return { before, fields, ignoredCounts: nothing }
  const remaining: FieldChange[] = []
  const ignoredCounts = new Map<string, number>()
  let patched = before
  for (const field of fields) {
    const by = ignored.find((one) => isIgnoredBy(one, field.path))
    if (by === undefined) {
      remaining.push(field)
      continue
    }
    ignoredCounts.set(by.path, (ignoredCounts.get(by.path) ?? 0) + 1)
    patched = withValueAt(patched, field.path, valueAt(after, field.path))
  }
  return { before: patched, fields: remaining, ignoredCounts }
}

/** What is wrong with a path: no field that is compared has it. undefined: nothing. */
export function refuseIgnoredPath(path: string): string | undefined {
  const steps = path.split('/').slice(1)
  let nodes: readonly (Field | undefined)[] = Object.entries(wireSchema)
    .filter(([kind]) => kind !== 'probe' && kind !== 'policy' && kind !== 'service')
    .map(([, members]) => ({ type: 'struct', members }) satisfies Field)
  for (const [at, step] of steps.entries()) {
    const next = nodes.flatMap((node) => fieldsBelow(node, step))
    if (next.length === 0) {
      const names = [...new Set(nodes.flatMap((node) => (node?.type === 'struct' ? Object.keys(node.members) : [])))]
      const nearest = nearestName(step, names)
      const meant = ['', ...steps.slice(0, at), nearest, ...steps.slice(at + 1)].join('/')
      const hint = nearest === undefined ? hintOf(names, steps.slice(0, at)) : `did you mean \`${meant}\`?`
      return `no kind has the field ${describeReference(path)}, ${hint}`
    }
    nodes = next
  }
  const isCompared = nodes.some((node) => node?.use === undefined)
  return isCompared ? undefined : `${describeReference(path)} changes by itself and is never compared: leave it out`
}

/** Fields below a field; `undefined` in the list: anything may be there. */
function fieldsBelow(node: Field | undefined, step: string): readonly (Field | undefined)[] {
  if (node === undefined || node.type === 'free') return [undefined]
  // Each thing by its uid.
  if (node.type === 'keyed') return [{ type: 'struct', members: node.members }]
  if (node.type !== 'struct') return []
  return step === '*' ? Object.values(node.members) : fieldOf(node.members, step)
}

function fieldOf(members: Members, name: string): readonly Field[] {
  const field = Object.hasOwn(members, name) ? members[name] : undefined
  return field === undefined ? [] : [field]
}

function hintOf(names: readonly string[], above: readonly string[]): string {
  if (names.length === 0) return `\`/${above.join('/')}\` has no fields of its own`
  return above.length === 0 ? '`hookdrift docs policy#fields` lists them' : `expected one of ${names.join(', ')}`
}
