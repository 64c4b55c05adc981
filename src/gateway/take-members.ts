import { isJsonObject, type Json, type JsonObject, memberOf, pointerStep } from '../model/json.ts'
import { type Field, isAttribute, type Members, type Struct, sentWhenEmpty } from './fields.ts'
import type { LicensedFeature } from './licence.ts'

/** How a request that writes a resource is taken, and in which form the caller has the resource. */
export interface WriteForm {
  /** Whether the request creates the resource. */
  readonly isNew: boolean
  hasLicence(feature: LicensedFeature | undefined): boolean
  /** Whether the settings of a project that a request leaves out are kept: see `patchedFrom`. */
  readonly keepsSettings: boolean
  /** Whether it wipes all that it leaves out, as no release does. */
  readonly isForgetful?: boolean
  /** What the caller has where there is nothing. */
  empty(field: Field): Json
  /** What a request sends as the caller has it. `path`: JSON Pointer into the resource. */
  read(sent: Json, path: string, field: Field): Json
  /** An object of several members as the caller has it. */
  close?(object: JsonObject, field: Field): Json
  /** Called for a value that is refused without a licence, and wiped where its own switch is off. */
  onRefusable?(path: string): void
}

/**
 * The first release whose updates of a project keep the settings that they leave out (`applyProjectConfigPatch`,
 * services/project_service.go). Those before it replace all of them.
 */
export const patchedFrom = 'v26.6.6'

/**
 * The attributes of a resource after a request. What the request leaves out is kept or reset, as the fields say.
 * `sent`: the body, by the names that answers have (`inAnswers`).
 */
export function takeMembers(
  members: Members,
  before: JsonObject,
  sent: JsonObject,
  form: WriteForm,
  path = '',
): JsonObject {
  const after = Object.entries(members).flatMap(([name, field]): [string, Json][] => {
    if (!isAttribute(field)) return []
    const here = `${path}/${pointerStep(name)}`
    const isSetting = form.keepsSettings && path === '/config'
    const value = takeMember(field, memberOf(before, name), sent[name] ?? undefined, form, here, isSetting)
    return value === undefined ? [] : [[name, value]]
  })
  return Object.fromEntries(after)
}

function takeMember(
  field: Field,
  old: Json | undefined,
  sent: Json | undefined,
  form: WriteForm,
  path: string,
  isSetting: boolean,
): Json | undefined {
  const { isNew } = form
  const { keeps, unlicensed, resetTo } = field
  if (field.unwritten !== undefined || (isNew ? field.onlyUpdate : field.onlyCreate)) {
    if (isNew) return field.initially ?? undefined
    return resetTo === undefined ? old : form.read(resetTo, path, field)
  }
  const kept = isNew ? initial(field, form, path) : old
  if (sent !== undefined && unlicensed !== undefined && (keeps !== 'empty' || !isNothing(sent))) {
    if (unlicensed.becomes === 'refused') {
      if ((unlicensed.types ?? [typeIn(sent)]).includes(typeIn(sent)) && !isNothing(sent)) form.onRefusable?.(path)
    } else if (!form.hasLicence(unlicensed.feature)) {
      return unlicensed.becomes === 'kept' ? kept : form.read(unlicensed.value, path, field)
    }
  }
  // What earlier releases do not have is not there to be reset.
  if (sent === undefined && old === undefined && !isNew && field.since !== undefined) return undefined
  const isKept = (keeps !== undefined || isSetting) && form.isForgetful !== true
  if (sent === undefined) return isNew || isKept ? kept : reset(field, old, form, path)
  const isKeptNumber = typeof sent === 'number' && (field.isNeverNegative ? sent < 0 : isSetting && sent === 0)
  if (isKeptNumber) return kept
  if ((isNothing(sent) && sent !== false) || isUntyped(field, sent)) {
    if (keeps === 'empty' || (field.changesOnly !== undefined && !isNew)) return kept
    return isNew ? kept : reset(field, old, form, path)
  }
  if (field.changesOnly !== undefined && !isNew && isNone(field, sent)) return old
  if (field.type !== 'struct' || !isJsonObject(sent) || (field.collapse === true && !isMerged(field.members)))
    return form.read(ofType(field, sent), path, field)
  const inner = takeMembers(field.members, isJsonObject(old) ? old : {}, sent, form, path)
  return form.close?.(inner, field) ?? inner
}

/** What an update makes of what it leaves out. */
function reset(field: Field, old: Json | undefined, form: WriteForm, path: string): Json {
  if (field.resetTo !== undefined) return form.read(field.resetTo, path, field)
  if (field.type !== 'struct' || field.collapse === true) return form.empty(field)
  // What no request writes stays.
  const inner = takeMembers(field.members, isJsonObject(old) ? old : {}, {}, { ...form, keepsSettings: false }, path)
  return form.close?.(inner, field) ?? inner
}

function initial(field: Field, form: WriteForm, path: string): Json {
  if (field.initially !== undefined) return form.read(field.initially, path, field)
  if (field.resetTo !== undefined) return form.read(field.resetTo, path, field)
  if (field.type !== 'struct' || field.collapse === true) return form.empty(field)
  const inner = takeMembers(field.members, {}, {}, form, path)
  return form.close?.(inner, field) ?? inner
}

/** Whether a request that sends some members keeps the others. */
function isMerged(members: Members): boolean {
  return Object.values(members).some(({ keeps }) => keeps !== undefined)
}

function typeIn(sent: Json): string {
  return isJsonObject(sent) ? String(sent.type) : ''
}

/** The service stores of such an object what its type asks for. */
function ofType(field: Field, sent: Json): Json {
  if (field.type !== 'struct' || !isJsonObject(sent)) return sent
  const members = Object.entries(sent).filter(([name]) => {
    const { onlyFor } = memberOf(field.members, name) ?? {}
    return onlyFor === undefined || onlyFor === sent.type
  })
  return Object.fromEntries(members)
}

/** An object of one of several types that does not say which is none. */
function isUntyped(field: Field, sent: Json): boolean {
  if (field.type !== 'struct' || field.collapse !== true || isMerged(field.members)) return false
  return Object.hasOwn(field.members, 'type') && isJsonObject(sent) && isNothing(sent.type ?? null)
}

function isNone(field: Field, sent: Json): boolean {
  const none = sentWhenEmpty(field)
  return isJsonObject(none) && isJsonObject(sent) && none.type === sent.type
}

/** What the service cannot distinguish from nothing. */
export function isNothing(value: Json): boolean {
  if (value === null || value === '' || value === 0 || value === false) return true
  if (isJsonObject(value)) return Object.values(value).every(isNothing)
  return Array.isArray(value) && value.length === 0
}

/** A body by the names that answers have. What is nested otherwise there, is so here. */
export function inAnswers(members: Members, body: JsonObject): JsonObject {
  const moved = Object.entries(members).filter(([, { to }]) => to !== undefined)
  const names = new Set(moved.map(([, { to: [first = ''] = [] }]) => first))
  const others = Object.entries(body).filter(([name]) => !names.has(name))
  const found = moved.flatMap(([name, { to = [] }]): [string, Json][] => {
    const value = to.reduce<Json | undefined>((at, step) => (isJsonObject(at) ? memberOf(at, step) : undefined), body)
    return value === undefined ? [] : [[name, value]]
  })
  const inner = [...others, ...found].map(([name, value]): [string, Json] => {
    const field = memberOf(members, name)
    return [name, field?.type === 'struct' && isJsonObject(value) ? inAnswers(field.members, value) : value]
  })
  return Object.fromEntries(inner)
}

/** A body with the names of members as they are written here: Go's decoder takes them in any case. */
export function inSpelling(members: Members, body: JsonObject): JsonObject {
  const names = new Map(Object.entries(members).map(([name, field]) => [(field.to?.[0] ?? name).toLowerCase(), name]))
  const spelled = Object.entries(body).map(([key, value]): [string, Json] => {
    const name = names.get(key.toLowerCase())
    if (name === undefined) return [key, value]
    const { type, members: inner, to } = members[name] as Field & Partial<Struct>
    const isObject = type === 'struct' && inner !== undefined && isJsonObject(value)
    return [to?.[0] ?? name, isObject ? inSpelling(inner, value) : value]
  })
  return Object.fromEntries(spelled)
}
