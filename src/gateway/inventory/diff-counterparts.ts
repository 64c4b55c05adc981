import { canonicalJson } from '../../model/canonical-json.ts'
import type { FieldChange } from '../../model/change.ts'
import { isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, objectOf, pointerStep, stepsOf, valueAt } from '../../model/json.ts'
import type { Kind } from '../../model/resource.ts'
import { type Field, type Members, wireSchema } from '../fields.ts'
import { compareFields, type SeenState } from './compare-fields.ts'
import { isDeleted, maskSealsInText } from './diff-attributes.ts'
import { fieldAt } from './malformed.ts'
import { longestText } from './sealer.ts'
import { splitUrl } from './split-url.ts'

export interface CounterpartOptions {
  /** Of the first project's hosts to those of the second. */
  readonly hosts: readonly HostMapping[]
  /** Fields that a person chose not to compare. */
  readonly ignored: readonly FieldPattern[]
}

/**
 * Compares two resources that have the same purpose in different projects. Identities, times and secrets always differ
 * and are left out; whether there is a secret is compared. References are compared by the caller, who knows the
 * counterparts. Programs are compared with their sealed literals, which need not be secrets.
 */
export function diffCounterparts(
  kind: Kind,
  first: SeenState,
  second: SeenState,
  { hosts, ignored }: CounterpartOptions,
): CounterpartDiff {
  const asCompared = ({ attributes, doubts = {}, sealKeyId }: SeenState, hosts: readonly HostMapping[]): SeenState => ({
    attributes: comparable(kind, attributes, ignored, hosts),
    doubts: Object.fromEntries(Object.entries(doubts).filter(([path]) => isCompared(kind, path, ignored))),
    sealKeyId,
  })
  const [before, after] = [asCompared(first, hosts), asCompared(second, [])]
  const { changed, unknown } = compareFields(kind, before, after)
  const toWritten = ({ path, before, after }: FieldChange) => ({
    path,
    before: asWritten(before, valueAt(first.attributes, path)),
    after: asWritten(after, valueAt(second.attributes, path)),
  })
  return {
    fields: changed.map(toWritten),
    // That there is a secret is compared, not which one.
    unknown: unknown.filter(({ cause }) => cause !== 'masked').map(({ path }) => path),
    unshown: [...unshownMembers(wireSchema[kind], before.attributes, after.attributes, '')],
  }
}

/** The steps of a JSON Pointer; `*` is any member. */
export type FieldPattern = readonly string[]

/** Reads a JSON Pointer such as `/description` or `/secrets/*`; undefined when it is none, or the empty one. */
export function readFieldPattern(text: string): FieldPattern | undefined {
  return text.startsWith('/') ? stepsOf(text) : undefined
}

/** The object without the members that a pattern names, and without all that is in them. */
export function withoutFields(object: JsonObject, patterns: readonly FieldPattern[]): JsonObject {
  if (patterns.length === 0) return object
  return objectOf(
    Object.entries(object).flatMap(([key, value]) => {
      const here = patterns.filter(([step]) => step === '*' || step === key)
      if (here.some((steps) => steps.length === 1)) return []
      const within = here.map((steps) => steps.slice(1))
      return [[key, isJsonObject(value) ? withoutFields(value, within) : value] as const]
    }),
  )
}

/** A host of one project and the host that takes its place in the other; each may contain one `*`, the same text. */
export interface HostMapping {
  readonly from: string
  readonly to: string
}

/** Reads `stage.example.com=example.com` or `*.stage.example.com=*.example.com`; undefined when it is neither. */
export function readHostMapping(text: string): HostMapping | undefined {
  const [from = '', to = '', ...more] = text.toLowerCase().split('=')
  const stars = [from, to].map((host) => host.split('*').length - 1)
  const [before = 0, after = 0] = stars
  if (from === '' || to === '' || more.length > 0 || before > 1 || after > before) return undefined
  return /[\s/?#@]/.test(from + to) ? undefined : { from, to }
}

/**
 * Replaces the host of an address by the first mapping that fits it with its port, or without. A text that need not be
 * an address is one when it begins with a scheme.
 */
export function mapHost(text: string, mappings: readonly HostMapping[], isAddress: boolean): string {
  if (mappings.length === 0 || text.length > longestText) return text
  const { scheme, userinfo, host, path, query, fragment } = splitUrl(text)
  if (!isAddress && !scheme.includes(':')) return text
  const mapped = mappedHost(host.toLowerCase(), mappings)
  if (mapped === undefined) return text
  return `${scheme}${userinfo === undefined ? '' : `${userinfo}@`}${mapped}${path}${query}${fragment}`
}

interface SealAtPath {
  /** JSON Pointer to the value that is or contains it. */
  readonly path: string
  readonly seal: string
}

/**
 * Finds the seals of secrets. Not those in programs, filters and texts of people, where a seal replaces what merely
 * looks like a secret, and not that in the address of a source, which the service makes.
 */
export function* findSeals(kind: Kind, attributes: JsonObject): Generator<SealAtPath> {
  for (const seal of sealsOf(wireSchema[kind], attributes, '')) {
    if (kind !== 'source' || seal.path !== '/url') yield seal
  }
}

interface CounterpartDiff {
  /** `before` in the first project, `after` in the second; sorted by path. */
  readonly fields: readonly FieldChange[]
  /** JSON Pointers of fields in doubt. */
  readonly unknown: readonly string[]
  /** JSON Pointers of fields that only one side shows: unknown, and not compared. */
  readonly unshown: readonly string[]
}

/** A text is shown as it is in its project; what was made of keyed objects is shown as it was compared. */
function asWritten(compared: Json, written: Json | undefined): Json {
  return typeof compared === 'string' && typeof written === 'string' ? written : compared
}

/** Identities, and the public halves of secrets. */
const identities = [
  ...['/uid', '/project_id', '/organisation_id', '/mask_id', '/endpoint_uid', '/source_uid', '/device_uid'],
  ...['kid', 'n', 'x', 'y'].map((member) => `/authentication/oauth2/signing_key/${member}`),
  '/mtls_client_cert/client_cert',
].map((pointer) => readFieldPattern(pointer) ?? [])

/** Whether a field of two counterparts is compared. `path`: without uids, such as `secrets[].expires_at`. */
export function isCompared(kind: Kind, path: string, ignored: readonly FieldPattern[]): boolean {
  const steps = path.split('.').flatMap((step) => (step.endsWith('[]') ? [step.slice(0, -2), '*'] : [step]))
  const isNamed = (pattern: FieldPattern) => pattern.every((step, at) => step === '*' || step === steps[at])
  const { field } = fieldAt(kind, `/${steps.join('/')}`)
  return field?.use === undefined && field?.type !== 'time' && ![...identities, ...ignored].some(isNamed)
}

function comparable(
  kind: Kind,
  attributes: JsonObject,
  ignored: readonly FieldPattern[],
  hosts: readonly HostMapping[],
): JsonObject {
  // The reader named both projects.
  const nameFields = kind === 'project' ? [['name']] : []
  const mask = typeof attributes.mask_id === 'string' ? attributes.mask_id : ''
  const comparedAttributes = withoutFields(attributes, [...identities, ...nameFields, ...ignored])
  // The address of a source ends in its mask.
  const unmasked = (text: string) => (mask === '' ? text : text.replaceAll(mask, '{mask_id}'))
  const change = (text: string, isAddress: boolean) =>
    mapHost(maskSealsInText(isAddress ? unmasked(text) : text), hosts, isAddress)
  return comparableMembers(wireSchema[kind], comparedAttributes, change)
}

type ChangeText = (text: string, isAddress: boolean) => string

function comparableMembers(members: Members, object: JsonObject, change: ChangeText): JsonObject {
  return objectOf(
    Object.entries(object).flatMap(([key, value]) => {
      const next = comparableField(Object.hasOwn(members, key) ? members[key] : undefined, value, change)
      return next === undefined ? [] : [[key, next] as const]
    }),
  )
}

/** undefined for what is not compared. */
function comparableField(field: Field | undefined, value: Json, change: ChangeText): Json | undefined {
  if (field === undefined) return comparableUnknown(value, change)
  // Whether it is on is compared; when it was switched on is not.
  if (field.type === 'time') return field.isSwitch === true ? (value === null ? null : switchedOn) : undefined
  if (field.type === 'code') return value
  if (field.type === 'struct' && isJsonObject(value)) return comparableMembers(field.members, value, change)
  if (field.type === 'keyed' && isJsonObject(value)) {
    return field.by === undefined ? distinct(field.members, value, change) : byName(field.members, value, change)
  }
  const changed = changeTexts(value, (text) => change(text, addressTypes.has(field.type)))
  // Other hosts and seals are in another order.
  const isSet = field.type === 'set' || field.type === 'addresses'
  return isSet && Array.isArray(changed) ? changed.toSorted() : changed
}

const switchedOn = 'on'

const addressTypes: ReadonlySet<string> = new Set(['url', 'secret-url', 'addresses'])

/** Objects whose names mean the same in both projects. */
function byName(members: Members, value: JsonObject, change: ChangeText): Json {
  return objectOf(
    Object.entries(value).map(([name, one]) => [
      name,
      isJsonObject(one) ? comparableMembers(members, one, change) : one,
    ]),
  )
}

/** Objects keyed by a uid, as a set: their uids differ, and how many are alike depends on when a secret was rotated. */
function distinct(members: Members, value: JsonObject, change: ChangeText): Json {
  const present = Object.values(value).filter((one) => !isDeleted(one))
  const contents = present.map((one) => (isJsonObject(one) ? comparableMembers(members, one, change) : one))
  const byText = new Map(contents.map((one) => [canonicalJson(one), one]))
  return byText.size === 0 ? null : [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** A field that hookdrift does not know is an identity or a time when its value has the form of one. */
function comparableUnknown(value: Json, change: ChangeText): Json | undefined {
  if (typeof value === 'string' && identityOrTime.test(value)) return undefined
  if (!isJsonObject(value)) return changeTexts(value, (text) => change(text, false))
  return comparableMembers({}, value, change)
}

const identityOrTime =
  /^(?:[0-9A-HJKMNP-TV-Z]{26}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d+:Z-]{0,20})$/

function changeTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return isExactNumber(value) ? value : change(value)
  if (Array.isArray(value)) return value.map((one) => changeTexts(one, change))
  if (!isJsonObject(value)) return value
  return objectOf(Object.entries(value).map(([key, one]) => [key, changeTexts(one, change)]))
}

function* unshownMembers(members: Members, first: JsonObject, second: JsonObject, path: string): Generator<string> {
  for (const key of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const here = `${path}/${pointerStep(key)}`
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    const [one, other] = [first, second].map((side) => (Object.hasOwn(side, key) ? side[key] : undefined))
    if (one === undefined || other === undefined) yield here
    else if (field?.type === 'struct' && field.collapse === undefined && isJsonObject(one) && isJsonObject(other)) {
      yield* unshownMembers(field.members, one, other, here)
    }
  }
}

function mappedHost(host: string, mappings: readonly HostMapping[]): string | undefined {
  const name = host.replace(/:\d{0,5}$/, '')
  const port = host.slice(name.length)
  for (const mapping of mappings) {
    const whole = applied(host, mapping)
    if (whole !== undefined) return whole
    const alone = applied(name, mapping)
    if (alone !== undefined) return `${alone}${port}`
  }
  return undefined
}

function applied(host: string, { from, to }: HostMapping): string | undefined {
  const [start = '', end] = from.split('*')
  if (end === undefined) return host === from ? to : undefined
  if (host.length <= start.length + end.length || !host.startsWith(start) || !host.endsWith(end)) return undefined
  return to.replace('*', () => host.slice(start.length, host.length - end.length))
}

function* sealsOf(members: Members, object: JsonObject, path: string): Generator<SealAtPath> {
  for (const [key, value] of Object.entries(object)) {
    const field = Object.hasOwn(members, key) ? members[key] : undefined
    yield* sealsIn(field, value, `${path}/${pointerStep(key)}`)
  }
}

function* sealsIn(field: Field | undefined, value: Json, path: string): Generator<SealAtPath> {
  if (typeof value === 'string') {
    if (field !== undefined && !secretTypes.has(field.type)) return
    for (const [seal] of value.matchAll(/sealed:[0-9a-f]{32}/g)) yield { path, seal }
  } else if (Array.isArray(value)) {
    for (const one of value) yield* sealsIn(field, one, path)
  } else if (isJsonObject(value)) {
    if (field?.type === 'free') return
    if (field?.type !== 'keyed') yield* sealsOf(field?.type === 'struct' ? field.members : {}, value, path)
    else {
      for (const [key, one] of Object.entries(value)) {
        const here = `${path}/${pointerStep(key)}`
        if (isJsonObject(one)) yield* sealsOf(field.members, one, here)
        else yield* sealsIn(undefined, one, here)
      }
    }
  }
}

const secretTypes: ReadonlySet<string> = new Set(['secret', 'secret-url', 'url', 'addresses'])
