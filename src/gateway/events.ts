import type { AttributesOf } from './fields.ts'
import { isReadableHeader } from './signatures.ts'

/**
 * What the service makes of a request that comes in at an http source. Of Convoy v25.6.3, v26.3.6 and v26.7.3:
 * `api/ingest.go` and `internal/pkg/dedup/dedup.go`.
 */
type Source = Pick<AttributesOf<'source'>, 'type' | 'mask_id' | 'event_type_location'>

/** The type that all events of a source have; undefined where each has its own, or where that is not known. */
export function eventTypeOf({ type, mask_id: mask, event_type_location: location }: Source): string | undefined {
  return type !== 'http' || location || !mask ? undefined : mask
}

/** The part of a request that says the type of an event, for people: one that no signature of the payload covers. */
export function unsignedPartOf(location: string): 'a header' | 'the query' | undefined {
  const [, part] = /^(?:request|req)\.(header|query|queryparam)\./i.exec(location) ?? []
  return part === undefined ? undefined : part.toLowerCase() === 'header' ? 'a header' : 'the query'
}

/**
 * What the service reads by a key of idempotency: undefined where it refuses the request. It takes a header that the
 * request does not have for an empty one, so that all events without it have one checksum.
 */
export function readsOf(key: string): 'a value' | 'nothing' | undefined {
  const [, part = '', name = ''] = /^req(?:uest)?\.([Hh]eader|[Bb]ody|query|QueryParam)\.(.*)$/s.exec(key) ?? []
  if (/^body$/i.test(part)) return name === '' ? 'nothing' : 'a value'
  if (part === '' || name.includes('.')) return undefined
  if (/^header$/i.test(part)) return isReadableHeader(name) ? 'a value' : 'nothing'
  return name === '' ? undefined : 'a value'
}
