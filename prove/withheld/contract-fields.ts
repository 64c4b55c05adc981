import { type Field, type Members, wireSchema } from '../../src/gateway/fields.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts'
import type { WirePlace } from '../answers/wire-answers.ts'

/** How an answer may fail to show a value. */
const ways = ['left out', 'null', 'wrong type', 'unknown word', 'unparsable'] as const
export type Way = (typeof ways)[number]

/** A field of the contract, and a way in which nothing is known of it. */
export interface WithheldField {
  readonly listing: WirePlace['listing']
  /** Members on the way to it; `[]` steps into each entry of a list. */
  readonly steps: readonly string[]
  readonly way: Way
  /** What takes its place; undefined: nothing does. */
  readonly instead: Json | undefined
  /** Within an object of which empty members mean none. */
  readonly isWithinNone: boolean
  /** Whether older releases lack it: that this one shows it, others must show. */
  readonly isLater: boolean
  /** Whether it is compared. */
  readonly isStored: boolean
}

/** Every field of every kind, at every depth, in each way that the contract does not allow. */
export function withheldFields(): readonly WithheldField[] {
  const from = (kind: keyof typeof wireSchema, listing: WirePlace['listing'], steps: readonly string[] = []) => [
    ...fieldsWithin(wireSchema[kind], { listing, steps, isWithinNone: false }),
  ]
  return [
    ...from('endpoint', 'endpoints'),
    ...from('source', 'sources'),
    ...from('subscription', 'subscriptions'),
    ...from('device', 'subscriptions', ['device_metadata']),
    ...from('project', 'project'),
    ...from('event_type', 'event_types'),
  ]
}

type Within = Pick<WithheldField, 'listing' | 'steps' | 'isWithinNone'>

function* fieldsWithin(members: Members, { listing, steps, isWithinNone }: Within): Generator<WithheldField> {
  for (const [name, field] of Object.entries(members)) {
    if (field.use === 'reference' || (name === 'uid' && steps.length < 2)) continue
    // Rows have requests of their own.
    if (field.type === 'keyed' && field.absent === 'apart') {
      yield* fieldsWithin(field.members, { listing: 'filters', steps: [], isWithinNone: false })
      continue
    }
    const here = { listing, steps: [...steps, wireNames[name] ?? name], isWithinNone }
    for (const way of ways) {
      if (!hides(field, way, isWithinNone)) continue
      yield {
        ...here,
        way,
        instead: insteadOf(field, way),
        isLater: field.since !== undefined,
        isStored: field.use === undefined,
      }
    }
    if (field.type === 'struct') {
      yield* fieldsWithin(field.members, { ...here, isWithinNone: isWithinNone || field.collapse === true })
    }
    if (field.type === 'keyed') yield* fieldsWithin(field.members, { ...here, steps: [...here.steps, '[]'] })
  }
}

/** What a subscription embeds is what it refers to. */
const wireNames: Readonly<Record<string, string>> = {
  endpoint_uid: 'endpoint_metadata',
  source_uid: 'source_metadata',
  device_uid: 'device_metadata',
}

const mayBeNone: readonly Field['type'][] = ['struct', 'keyed', 'free', 'set', 'addresses', 'flag', 'time']

function hides(field: Field, way: Way, isWithinNone: boolean): boolean {
  const isAnything = (field.type === 'free' || field.type === 'secret') && field.isAnything === true
  switch (way) {
    case 'left out':
      return field.absent !== 'empty'
    case 'null':
      return !isWithinNone && field.absent !== 'empty' && field.isNullable !== true && !mayBeNone.includes(field.type)
    case 'wrong type':
      return !isAnything
    case 'unknown word':
      return field.type === 'word' && (field.values !== undefined || field.isHash === true)
    case 'unparsable':
      return (field.type === 'url' && field.isTarget === true) || /^(?:time|integer|seconds)$/.test(field.type)
  }
}

function insteadOf({ type }: Field, way: Way): Json | undefined {
  if (way === 'left out') return undefined
  if (way === 'null') return null
  if (way === 'unknown word') return 'newkind'
  if (way === 'unparsable') return type === 'url' ? 'https://[bad/x' : '12x'
  return type === 'integer' || type === 'seconds' ? [1] : 7
}

/** An item without the value; undefined where it does not have one. */
export function withhold(
  item: JsonObject,
  { steps, instead, isWithinNone, way }: Pick<WithheldField, 'steps' | 'instead' | 'isWithinNone' | 'way'>,
): JsonObject | undefined {
  const [name = '', ...rest] = steps
  const was = item[name]
  if (was === undefined || (was === null && rest.length > 0)) return undefined
  const others = Object.entries(item)
  const put = (value: Json | undefined) =>
    Object.fromEntries(
      others.flatMap(([key, old]) => (key !== name ? [[key, old]] : value === undefined ? [] : [[key, value]])),
    )
  if (rest.length === 0) {
    const isNone = isEmptyValue(was) || (isWithinNone && (was === 0 || was === 'noop'))
    return isNone && (isWithinNone || way === 'null') ? undefined : put(instead)
  }
  const within = { steps: rest[0] === '[]' ? rest.slice(1) : rest, instead, isWithinNone, way }
  if (Array.isArray(was)) {
    const parts = was.map((entry) => (isJsonObject(entry) ? withhold(entry, within) : undefined))
    return parts.length === 0 || parts.includes(undefined) ? undefined : put(parts as JsonObject[])
  }
  const inner = isJsonObject(was) ? withhold(was, within) : undefined
  return inner && put(inner)
}

function isEmptyValue(value: Json): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** `endpoints secrets.[].value: null`. */
export function describeWithheld({ listing, steps, way }: WithheldField): string {
  return `${listing} ${steps.join('.')}: ${way}`
}

/** An item as an older release shows it: without what came later, and without what may be left out when it is empty. */
export function asOlder(kind: keyof typeof wireSchema, item: JsonObject): JsonObject {
  return lacking(wireSchema[kind], item)
}

function lacking(members: Members, item: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => {
      const field = members[name]
      if (field?.since !== undefined || (field?.absent === 'empty' && isEmptyValue(value))) return []
      if (field?.type === 'struct' && isJsonObject(value)) return [[name, lacking(field.members, value)]]
      return [[name, value]]
    }),
  )
}
