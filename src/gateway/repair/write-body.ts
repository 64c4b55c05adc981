import {
  isEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  pointerStep,
  setProperty,
} from '../../model/json.ts'
import { type Field, type FormerName, isAttribute, type Members, sentWhenEmpty } from '../fields.ts'

/** A field that the printed requests do not put back. */
export interface ManualStep {
  /** JSON Pointer into the attributes. */
  readonly path: string
  /** A sentence: why, and what to do instead. */
  readonly reason: string
}

export interface WrittenBody {
  readonly body: JsonObject
  readonly manualSteps: readonly ManualStep[]
}

/** `now`: the present attributes; undefined where the resource is gone and the request creates it. */
export interface States {
  readonly target: JsonObject
  readonly now: JsonObject | undefined
}

/**
 * Writes attributes in the form of the service's request, with every field that it takes: an update wipes what it
 * leaves out. A field that the history does not know is sent as it is now.
 */
export function writeBody(fields: Members, states: States, path = '', isCollapsed = false): WrittenBody {
  const body: Record<string, Json> = {}
  const manualSteps: ManualStep[] = []
  for (const [name, field] of Object.entries(fields)) {
    if (!isAttribute(field)) continue
    const here = `${path}/${pointerStep(name)}`
    const { formerly: former } = field
    const [then, now] = [fieldValue(states.target, name, former), fieldValue(states.now, name, former)]
    const value = then === undefined && !isCollapsed ? now : then
    if (field.unwritten !== undefined) {
      if (states.now !== undefined && then !== undefined && now !== undefined && !isEqual(then, now))
        manualSteps.push({ path: here, reason: field.unwritten })
      continue
    }
    if (value === undefined || (field.onlyCreate === true && states.now !== undefined)) {
      if (field.onlyCreate === true && then !== undefined && now !== undefined && !isEqual(then, now))
        manualSteps.push({ path: here, reason: onlyCreated })
      continue
    }
    if (field.onlyUpdate === true && states.now === undefined) {
      if (!isEmpty(value) && !isEqual(value, sentWhenEmpty(field)))
        manualSteps.push({ path: here, reason: onlyUpdated })
      continue
    }
    if (field.changesOnly !== undefined && states.now !== undefined) {
      const isNone = (of: Json) => isEmpty(of) || isEqual(of, sentWhenEmpty(field))
      const [isWanted, isThere] = [!isNone(value), !isNone(now ?? value)]
      if (isWanted !== isThere)
        manualSteps.push({ path: here, reason: field.changesOnly[isWanted ? 'added' : 'removed'] })
      if (!isWanted || !isThere) continue
    }
    if (field.keeps !== undefined && isEmpty(value)) {
      if (isEmpty(now)) continue
      if (field.keeps === 'empty') {
        manualSteps.push({ path: here, reason: keptWhenEmpty })
        continue
      }
    }
    const written = writeField(field, value, states.now === undefined ? undefined : (now ?? null), here)
    manualSteps.push(...written.manualSteps)
    const isFormer = former !== undefined && takesFormerName(states, name, former)
    setAt(body, field.to ?? [isFormer ? former.name : name], written.value)
  }
  for (const [name, value] of Object.entries(states.target)) {
    if (isAttributeName(fields, name) || isFormerName(fields, name)) continue
    const here = `${path}/${pointerStep(name)}`
    // Within an object that the update replaces, the service takes back what it showed.
    if (path !== '') setProperty(body, name, value)
    else if (!isEmpty(value) || !isEmpty(memberOf(states.now, name)))
      manualSteps.push({ path: here, reason: unknownField })
  }
  return { body, manualSteps }
}

const onlyCreated = 'Only the request that creates the resource sets it. Create the resource anew.'
const onlyUpdated = 'The request that creates the resource ignores it: update the new one, and audit again.'
const keptWhenEmpty =
  'The update keeps its value if it is sent empty. Empty it in the dashboard, or create the resource anew.'
const unknownField =
  'hookdrift does not know how the service takes this field, and leaves it out. Check it after the request.'

function writeField(
  field: Field,
  value: Json,
  now: Json | undefined,
  path: string,
): { readonly value: Json; readonly manualSteps: readonly ManualStep[] } {
  if (value === null || value === '') return { value: sentWhenEmpty(field), manualSteps: [] }
  if (field.isDuration) return { value: typeof value === 'number' ? `${value}s` : value, manualSteps: [] }
  if (!isJsonObject(value)) return { value, manualSteps: [] }
  if (field.type === 'keyed') return { value: writeList(field.members, value, path), manualSteps: [] }
  if (field.type !== 'struct') return { value, manualSteps: [] }
  const present = now === undefined ? undefined : isJsonObject(now) ? now : {}
  const { body, manualSteps } = writeBody(field.members, { target: value, now: present }, path, field.collapse === true)
  return { value: body, manualSteps }
}

function writeList(members: Members, items: JsonObject, path: string): Json {
  const placeOf = (item: Json) => Number((isJsonObject(item) && item.position) || 0)
  const inPlace = Object.entries(items).sort(([, a], [, b]) => placeOf(a) - placeOf(b))
  return inPlace.map(([uid, item]) => {
    if (!isJsonObject(item)) return item
    const { body } = writeBody(members, { target: item, now: {} }, `${path}/${pointerStep(uid)}`)
    // Items without a uid are keyed by their index.
    return uid.startsWith('#') ? body : { uid, ...body }
  })
}

function setAt(body: Record<string, Json>, [name = '', ...rest]: readonly string[], value: Json): void {
  if (rest.length === 0) {
    setProperty(body, name, value)
    return
  }
  const within = body[name]
  const inner: Record<string, Json> = isJsonObject(within) ? { ...within } : {}
  setAt(inner, rest, value)
  setProperty(body, name, inner)
}

/** A value by the name of its field; a history of an earlier hookdrift has it by the former one. */
function fieldValue(state: JsonObject | undefined, name: string, former: FormerName | undefined): Json | undefined {
  const value = memberOf(state, name)
  return value === undefined && former !== undefined ? memberOf(state, former.name) : value
}

/** As the release does whose answers were seen last: the one that shows the setting and not yet the one after it. */
function takesFormerName({ target, now = target }: States, name: string, former: FormerName): boolean {
  return fieldValue(now, name, former) !== undefined && memberOf(now, former.until) === undefined
}

function isAttributeName(fields: Members, name: string): boolean {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field !== undefined && isAttribute(field)
}

function isFormerName(fields: Members, name: string): boolean {
  return Object.values(fields).some(({ formerly }) => formerly?.name === name)
}

/** What the service cannot distinguish from nothing. */
function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The fields of every release's body that the history does not know: not shown, neither then nor now. */
export function unknownFields(fields: Members, { target, now }: States): string[] {
  return Object.entries(fields)
    .filter(([name, field]) => {
      if (!isAttribute(field) || field.unwritten !== undefined || field.since !== undefined) return false
      return memberOf(target, name) === undefined && memberOf(now, name) === undefined
    })
    .map(([name]) => `/${pointerStep(name)}`)
}
