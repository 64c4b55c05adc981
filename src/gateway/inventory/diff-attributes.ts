import { canonicalJson } from '../../model/canonical-json.ts'
import type { FieldChange } from '../../model/change.ts'
import {
  isEmpty,
  isEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  mapMembers,
  memberOf,
  objectOf,
  pointerStep,
  setProperty,
} from '../../model/json.ts'
import { isMasked, isSealedWhole, type Kind, maskedSeal } from '../../model/resource.ts'
import { aliases, type Field, type KeyedList, type Members, wireSchema } from '../fields.ts'
import { holdsSeal } from './seal-json.ts'

export interface DiffOptions {
  /** False when the two sides were sealed under different installation keys: their seals cannot be compared. */
  readonly sealsComparable: boolean
  /** JSON Pointers of members that one side should have and did not show: where it has none, they are not compared. */
  readonly unseen?: readonly string[]
}

/**
 * The differences between two normal forms of one resource, by JSON Pointer, sorted. A member that one side did not
 * show is unknown and not compared. Lists of objects with a uid are compared object by object.
 */
export function diffAttributes(kind: Kind, before: JsonObject, after: JsonObject, options: DiffOptions): FieldChange[] {
  return [...diffMembers(wireSchema[kind], before, after, '', options)].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/**
 * The known state of a resource after a scan: what the scan showed, and the previous value of everything else. So a
 * release that shows less, or a source seen only as a stub, hides no later change and makes no false one.
 */
export function carryOver(
  kind: Kind,
  before: JsonObject,
  after: JsonObject,
  unseen: readonly string[] = [],
): JsonObject {
  return carryMembers(wireSchema[kind], withoutOldNames(kind, before, after), after, '', unseen)
}

/** The state, without values by another name of a field that the scan showed by its own name alone. */
function withoutOldNames(kind: Kind, before: JsonObject, after: JsonObject): JsonObject {
  let state = before
  for (const { within, alias, name } of aliases[kind] ?? []) {
    const [old, now] = within === undefined ? [state, after] : [memberOf(state, within), memberOf(after, within)]
    if (!isJsonObject(old) || !isJsonObject(now)) continue
    if (memberOf(old, alias) === undefined || memberOf(now, alias) !== undefined || memberOf(now, name) === undefined)
      continue
    const rest = objectOf(Object.entries(old).filter(([key]) => key !== alias))
    state = within === undefined ? rest : mapMembers(state, (key, value) => (key === within ? rest : value))
  }
  return state
}

/** `unseen`: JSON Pointers of what was not shown in objects where an absent member is else an empty one. */
function carryMembers(
  members: Members,
  before: JsonObject,
  after: JsonObject,
  path: string,
  unseen: readonly string[],
  isAbsentEmpty = false,
): JsonObject {
  const carried: [string, Json][] = []
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = memberOf(before, key)
    const now = memberOf(after, key)
    const here = `${path}/${pointerStep(key)}`
    if (isAbsentEmpty && now === undefined && !unseen.includes(here)) continue
    carried.push([key, carryField(fieldOf(members, key), old, now, here, unseen)])
  }
  const out: Record<string, Json> = {}
  for (const [key, value] of carried.sort(([a], [b]) => (a < b ? -1 : 1))) setProperty(out, key, value)
  return out
}

function carryField(
  field: Field | undefined,
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  unseen: readonly string[],
): Json {
  if (after === undefined) return before ?? null
  if (before === undefined) return after
  if (isMasked(after) && (isSeal(before) || isMaskOf(field, after, before))) return before
  if (typeof before === 'string' && typeof after === 'string' && after.includes(maskedSeal))
    return isSameText(before, after, true) ? before : after
  if (field?.type === 'struct' && isJsonObject(before) && isJsonObject(after)) {
    return carryMembers(field.members, before, after, path, unseen, field.collapse)
  }
  if (field?.type === 'keyed' && isJsonObject(before) && isJsonObject(after)) {
    return mapMembers(after, (key, value) => {
      const old = memberOf(before, key)
      const here = `${path}/${pointerStep(key)}`
      return isJsonObject(old) && isJsonObject(value) ? carryMembers(field.members, old, value, here, unseen) : value
    })
  }
  return after
}

function* diffMembers(
  members: Members,
  before: JsonObject,
  after: JsonObject,
  path: string,
  options: DiffOptions,
): Generator<FieldChange> {
  for (const [key, old] of Object.entries(before)) {
    const now = memberOf(after, key)
    const field = fieldOf(members, key)
    if (now === undefined || isUnchanged(field, old, now, options)) continue
    yield* diffField(field, old, now, `${path}/${pointerStep(key)}`, options)
  }
}

/** Whether two values say the same. */
function isUnchanged(field: Field | undefined, before: Json, after: Json, options: DiffOptions): boolean {
  if (saysTheSame(field, before, after, options)) return true
  // JSON of the user and what the contract does not have are kept as written: releases write "none" in different ways.
  const isAsWritten = field === undefined || (field.type === 'free' && field.isAnything !== true)
  return isAsWritten && isEmpty(before) && isEmpty(after)
}

/** As far as can be said: nothing shows that two values differ. */
function saysTheSame(field: Field | undefined, before: Json, after: Json, options: DiffOptions): boolean {
  if (isSame(before, after, options) || isMaskOf(field, before, after) || isMaskOf(field, after, before)) return true
  const isProse = field?.type === 'prose' || (field?.type === 'free' && field.isProse === true)
  return isProse && !Array.isArray(before) && !Array.isArray(after) && areSealedInTwoForms(before, after)
}

/** Whether an earlier version sealed parts of a text, and this one all of it: whether it is the same cannot be said. */
export function areSealedInTwoForms(before: Json, after: Json): boolean {
  return isSealedWhole(before) !== isSealedWhole(after) && holdsSeal(before) && holdsSeal(after)
}

/** Whether a service masks something here, in a field where secrets are: what is there is unknown. */
function isMaskOf(field: Field | undefined, masked: Json, value: Json): boolean {
  if (!isMasked(masked) || isEmpty(value) || field === undefined) return false
  if (field.type === 'struct' || field.type === 'keyed') return field.guarded === true
  return field.type === 'secret' || field.type === 'secret-url' || field.type === 'certificate'
}

/** For two values that differ. */
function* diffField(
  field: Field | undefined,
  before: Json,
  after: Json,
  path: string,
  options: DiffOptions,
): Generator<FieldChange> {
  if (isJsonObject(before) && isJsonObject(after)) {
    if (field?.type === 'struct' && field.collapse === undefined) {
      yield* diffMembers(field.members, before, after, path, options)
    } else if (field?.type === 'keyed') {
      yield* diffThings(field, before, after, path, options)
    } else {
      yield* diffKeys(field?.type === 'struct' ? field.members : {}, before, after, path, options)
    }
    return
  }
  yield { path, before, after }
}

/** For objects with a key, which come and go whole; those that remain are compared member by member. */
function* diffThings(
  { members, by }: KeyedList,
  before: JsonObject,
  after: JsonObject,
  path: string,
  options: DiffOptions,
): Generator<FieldChange> {
  if (by === undefined && options.sealsComparable && areRenamed(before, after)) {
    yield { path, before, after }
    return
  }
  for (const key of keysOf(before, after)) {
    const old = memberOf(before, key)
    const now = memberOf(after, key)
    const here = `${path}/${pointerStep(key)}`
    if (isJsonObject(old) && isJsonObject(now)) yield* diffMembers(members, old, now, here, options)
    else if (!isSame(old ?? null, now ?? null, options) && !isDeleted(old ?? now)) {
      yield { path: here, before: old ?? null, after: now ?? null }
    }
  }
}

/** Whether these are the same objects, known whole, of which some have another uid: one change, and not two of each. */
function areRenamed(before: JsonObject, after: JsonObject): boolean {
  const [old, now] = [before, after].map((things) => {
    const listed = Object.entries(things).filter(([, thing]) => !isDeleted(thing))
    return { uids: listed.map(([uid]) => uid).sort(), things: listed.map(([, thing]) => canonicalJson(thing)).sort() }
  })
  return (
    isEqual(old?.things ?? [], now?.things ?? []) && !isEqual(old?.uids ?? [], now?.uids ?? []) && !holdsMasks(before)
  )
}

/** Only some releases list what is deleted: whether it is listed says nothing. */
export function isDeleted(value: Json | undefined): boolean {
  return isJsonObject(value) && typeof memberOf(value, 'deleted_at') === 'string'
}

/** For objects in which an absent key means that it is absent, not unknown. */
function* diffKeys(
  members: Members,
  before: JsonObject,
  after: JsonObject,
  path: string,
  options: DiffOptions,
): Generator<FieldChange> {
  for (const key of keysOf(before, after)) {
    const [old, now] = [memberOf(before, key), memberOf(after, key)]
    const here = `${path}/${pointerStep(key)}`
    if ((old === undefined || now === undefined) && options.unseen?.includes(here) === true) continue
    const field = fieldOf(members, key)
    if (saysTheSame(field, old ?? null, now ?? null, options)) continue
    yield* diffField(field, old ?? null, now ?? null, here, options)
  }
}

function isSame(before: Json, after: Json, { sealsComparable }: DiffOptions): boolean {
  if (isEqual(before, after)) return true
  if (typeof before === 'string' && typeof after === 'string') return isSameText(before, after, sealsComparable)
  return !sealsComparable && maskSealsInText(canonicalJson(before)) === maskSealsInText(canonicalJson(after))
}

/** Seal by seal: one that the service masks says nothing of the others in a text. */
function isSameText(before: string, after: string, sealsComparable: boolean): boolean {
  if (maskSealsInText(before) !== maskSealsInText(after)) return false
  const [old = [], now = []] = [before, after].map((text) => text.match(anySeal) ?? [])
  return !sealsComparable || old.every((seal, at) => isSameSeal(seal, now[at]))
}

function isSameSeal(before: string, after: string | undefined): boolean {
  return before === after || isMasked(before) || isMasked(after)
}

function isSeal(value: Json): boolean {
  return typeof value === 'string' && /^sealed:[0-9a-f]{32}$/.test(value)
}

/** The same text with every seal in it masked. */
export function maskSealsInText(text: string): string {
  return text.replace(anySeal, maskedSeal)
}

const anySeal = /sealed:(?:[0-9a-f]{32}|masked)/g

function keysOf(before: JsonObject, after: JsonObject): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

function fieldOf(members: Members, key: string): Field | undefined {
  return Object.hasOwn(members, key) ? members[key] : undefined
}

/** Whether the value contains anything sealed under an installation key. */
export function holdsSeals(value: Json): boolean {
  if (typeof value === 'string') return sealWithin.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSeals)
}

const sealWithin = /sealed:[0-9a-f]{32}/

/** Whether the value contains anything that the service masks. */
export function holdsMasks(value: Json): boolean {
  return JSON.stringify(value).includes(maskedSeal)
}

/** The same attributes with every seal of another installation key masked: present, with an unknown value. */
export function maskSeals(attributes: JsonObject): JsonObject {
  return mapMembers(attributes, (_, value) => maskSealsWithin(value))
}

function maskSealsWithin(value: Json): Json {
  if (typeof value === 'string') return maskSealsInText(value)
  if (Array.isArray(value)) return value.map(maskSealsWithin)
  return isJsonObject(value) ? maskSeals(value) : value
}
