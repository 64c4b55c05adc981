import { pointerStep } from '../model/json.ts'
import type { Field, Members } from './field.ts'

/**
 * How to normalise all objects with the same members in the same order: worked out once, because a service fills the
 * same members of every item. Not for stubs, whose empty members mean nothing.
 */
export interface Layout {
  /** The members that an object shows. */
  readonly names: readonly string[]
  /** In canonical order. */
  readonly steps: readonly Step[]
}

/** A member of the normal form, or a volatile one. */
export interface Step {
  readonly name: string
  /** As the last step of a JSON Pointer, with its slash. */
  readonly pointer: string
  /** Its index in the object; -1 for an optional member that is not shown. */
  readonly at: number
  /** undefined for a member that the contract does not have. */
  readonly field: Field | undefined
}

/** Layouts of one set of members. Objects with more different ones are rare, and hostile. */
const mostLayouts = 32
const mostNames = 128
const layouts = new WeakMap<Members, Layout[]>()

/** The layout of an object; undefined for an object that has to be normalised member by member. */
export function layoutOf(
  members: Members,
  names: readonly string[],
  isKept: (name: string) => boolean,
): Layout | undefined {
  let known = layouts.get(members)
  if (known === undefined) {
    known = []
    layouts.set(members, known)
  }
  for (const layout of known) if (isSame(layout.names, names)) return layout
  const layout = planFor(members, names, isKept)
  if (layout === undefined) return undefined
  if (known.length === mostLayouts) known.length = 0
  known.push(layout)
  return layout
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false
  return true
}

function planFor(members: Members, names: readonly string[], isKept: (name: string) => boolean): Layout | undefined {
  const isKnown = (name: string) => Object.hasOwn(members, name)
  if (names.length > mostNames || !names.every((name) => isKnown(name) || isOrdinary(name, isKept))) return undefined
  const fields = new Map<string, Field | undefined>([...Object.entries(members), ...unknownOf(names, isKnown)])
  const steps: Step[] = []
  for (const [name, field] of [...fields].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const at = names.indexOf(name)
    if (field?.presence === 'reference' || (at < 0 && field?.presence !== 'optional')) continue
    steps.push({ name, pointer: `/${pointerStep(name)}`, at, field })
  }
  return { names, steps }
}

function unknownOf(names: readonly string[], isKnown: (name: string) => boolean): [string, undefined][] {
  return names.filter((name) => !isKnown(name)).map((name) => [name, undefined])
}

/** Whether an unknown member has a name that stays, and that an object keeps at its place. */
function isOrdinary(name: string, isKept: (name: string) => boolean): boolean {
  return name.length <= 64 && /^[A-Za-z]/.test(name) && isKept(name)
}
