import { type FieldPattern, withoutFields } from '../inventory/diff-counterparts.ts'
import type { FieldChange } from '../model/change.ts'
import type { Json } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import { type ComparedSide, provesAbsence, type SidedResource } from './compared-side.ts'

const references = [
  ['endpoint_uid', 'endpoint'],
  ['source_uid', 'source'],
  ['device_uid', 'device'],
] as const satisfies readonly (readonly [string, Kind])[]

/** Compares what two subscriptions refer to: equal are references to counterparts, and references to nothing. */
export function compareReferences(
  pair: {
    readonly a: ComparedSide
    readonly b: ComparedSide
    readonly first: SidedResource
    readonly second: SidedResource
  },
  ignored: readonly FieldPattern[],
) {
  const { a, b, first, second } = pair
  const fields: FieldChange[] = []
  const unknown: string[] = []
  if (first.kind !== 'subscription') return { fields, unknown }
  const before = withoutFields(first.attributes, ignored)
  const after = withoutFields(second.attributes, ignored)
  for (const [member, kind] of references) {
    const [one, other] = [before[member], after[member]]
    if (one === undefined && other === undefined) continue
    const [end, otherEnd] = [resolve(kind, one, { own: a, other: b }), resolve(kind, other, { own: b, other: a })]
    const path = `/${member}`
    if (end === undefined || otherEnd === undefined) unknown.push(path)
    else if (end.key !== otherEnd.key) fields.push({ path, before: end.shown(otherEnd), after: otherEnd.shown(end) })
    else if ([a, b].some(({ byKey }) => (byKey.get(end.key)?.length ?? 0) > 1)) unknown.push(path)
  }
  return { fields, unknown }
}

interface End {
  /** Equal for counterparts. */
  readonly key: string
  readonly name: string
  readonly uid: string | null
  /** For people: the name, unless the other one has the same. */
  shown(other: Pick<End, 'name'>): Json
}

/** undefined when it is not known what a reference leads to. */
function resolve(
  kind: Kind,
  uid: Json | undefined,
  { own, other }: { readonly own: ComparedSide; readonly other: ComparedSide },
): End | undefined {
  if (uid === null || uid === '') return { key: 'nothing', name: '', uid: null, shown: () => null }
  if (typeof uid !== 'string') return undefined
  const found = own.find(kind, uid)
  if (found !== undefined) {
    const { key, name } = found
    return { key, name, uid, shown: (end) => (name === '' || name === end.name ? uid : name) }
  }
  return provesAbsence(own, kind, other) ? { key: 'missing', name: '', uid, shown: () => uid } : undefined
}
