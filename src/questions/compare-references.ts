import { type FieldPattern, withoutFields } from '../inventory/diff-counterparts.ts'
import type { FieldChange } from '../model/change.ts'
import type { Json } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { ComparedSide, SidedResource } from './compared-side.ts'
import { provesAbsence } from './proves-absence.ts'

/** Two resources that have the same purpose in two projects. */
export interface ComparedPair {
  readonly a: ComparedSide
  readonly b: ComparedSide
  readonly first: SidedResource
  readonly second: SidedResource
}

const references = [
  ['endpoint_uid', 'endpoint'],
  ['source_uid', 'source'],
  ['device_uid', 'device'],
] as const satisfies readonly (readonly [string, Kind])[]

/** Compares what two subscriptions refer to: equal are references to counterparts, and references to nothing. */
export function compareReferences({ a, b, first, second }: ComparedPair, ignored: readonly FieldPattern[]) {
  const fields: FieldChange[] = []
  const unknown: string[] = []
  const ambiguous: string[] = []
  const compared = { fields, unknown, ambiguous }
  if (first.kind !== 'subscription') return compared
  const before = withoutFields(first.attributes, ignored)
  const after = withoutFields(second.attributes, ignored)
  for (const [member, kind] of references) {
    const [one, other] = [before[member], after[member]]
    if (one === undefined && other === undefined) continue
    // A project that is compared with itself.
    if (a === b && one === other) continue
    const [end, otherEnd] = [resolve(kind, one, { side: a, other: b }), resolve(kind, other, { side: b, other: a })]
    const path = `/${member}`
    if (end === undefined || otherEnd === undefined) unknown.push(path)
    else if (end.key !== otherEnd.key)
      fields.push({ path, before: end.displayAgainst(otherEnd), after: otherEnd.displayAgainst(end) })
    else if ([a, b].some(({ byKey }) => (byKey.get(end.key)?.length ?? 0) > 1)) ambiguous.push(path)
  }
  return compared
}

interface End {
  /** Equal for counterparts. */
  readonly key: string
  readonly name: string
  readonly uid: string | null
  /** For people: the name, unless the other one has the same. */
  displayAgainst(other: Pick<End, 'name'>): Json
}

/** undefined when it is not known what a reference leads to. */
function resolve(
  kind: Kind,
  uid: Json | undefined,
  { side, other }: { readonly side: ComparedSide; readonly other: ComparedSide },
): End | undefined {
  if (uid === null || uid === '') return { key: 'nothing', name: '', uid: null, displayAgainst: () => null }
  if (typeof uid !== 'string') return undefined
  const resource = side.find(kind, uid)
  if (resource !== undefined) {
    const { key, name } = resource
    return { key, name, uid, displayAgainst: (end) => (name === '' || name === end.name ? uid : name) }
  }
  return provesAbsence(kind, side.viewOf(kind), other.viewOf(kind))
    ? { key: 'missing', name: '', uid, displayAgainst: () => uid }
    : undefined
}
