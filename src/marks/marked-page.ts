import { internShape } from '../inventory/shape.ts'
import { KnownItem, type LiftedItem } from '../model/raw-page.ts'
import { digestBytes } from './keyed-digest.ts'

/** What is kept of a page of a listing. */
export interface PageContent {
  /** Where the list of items begins and ends among the page's bytes. */
  readonly start: number
  readonly end: number
  /** When its items were evaluated, at the latest: milliseconds since the epoch. */
  readonly evaluatedAt: number
  /** In the page's order; undefined for an item that must be read again. */
  readonly items: readonly (KnownItem | undefined)[]
  /** Of the items, one after the other. */
  readonly digests: Buffer
}

/** A page as a scan left it. */
export interface MarkedPage {
  readonly start: number
  readonly end: number
  readonly evaluatedAt: number
  readonly length: number
  /** Whether an item was left out when the page was marked. */
  readonly isWhole: boolean
  /** Whether the digest of an item is this one. */
  isAt(place: number, digest: Buffer): boolean
  digestAt(place: number): Buffer
  /** undefined for an item that must be read again. */
  itemAt(place: number): KnownItem | undefined
}

interface Header {
  readonly start: number
  readonly end: number
  readonly at: number
  readonly uids: readonly string[]
  readonly shapes: readonly (readonly string[])[]
  /** By place: what few items have. */
  readonly more: Readonly<
    Record<string, { readonly lifted?: readonly LiftedItem[]; readonly waivers?: readonly number[] }>
  >
}

/** digest, version (u32), until in seconds (u32), entries (u8), shape (u8). */
const recordBytes = digestBytes + 10
const never = 0xffff_ffff
/** What a byte and four bytes hold. */
const mostEntries = 255
const mostShapes = 256
const largestVersion = 0xffff_ffff

/** Writes what is kept of a page: a header as JSON, its length before it, and a record of 26 bytes an item. */
export function encodePage({ start, end, evaluatedAt, items, digests }: PageContent): Buffer {
  const shapes = new Map<ReadonlySet<string>, number>()
  const more: Record<string, { lifted?: readonly LiftedItem[]; waivers?: readonly number[] }> = {}
  const records = Buffer.alloc(items.length * recordBytes)
  const uids = items.map((item, place) => {
    if (item === undefined) return ''
    const shape = shapes.get(item.shape) ?? shapes.size
    const until = Math.floor(Math.min(item.until / 1000, never))
    if (shape >= mostShapes || item.entries > mostEntries || item.version > largestVersion || until <= 0) return ''
    shapes.set(item.shape, shape)
    const at = place * recordBytes
    digests.copy(records, at, place * digestBytes, (place + 1) * digestBytes)
    records.writeUInt32LE(item.version, at + digestBytes)
    records.writeUInt32LE(until, at + digestBytes + 4)
    records.writeUInt8(item.entries, at + digestBytes + 8)
    records.writeUInt8(shape, at + digestBytes + 9)
    const { lifted, waivers } = item
    if (lifted.length + waivers.length > 0) more[place] = { lifted, waivers }
    return item.uid
  })
  const header: Header = {
    start,
    end,
    at: evaluatedAt,
    uids,
    shapes: [...shapes.keys()].map((shape) => [...shape]),
    more,
  }
  const text = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(text.length)
  return Buffer.concat([length, text, records])
}

export function decodePage(body: Buffer): MarkedPage {
  const headerEnd = 4 + body.readUInt32LE(0)
  // Hookdrift wrote it.
  const header = JSON.parse(body.toString('utf8', 4, headerEnd)) as Header
  const { start, end, at: evaluatedAt, uids, more } = header
  const shapes = header.shapes.map((paths) => internShape(paths))
  const placeOf = (place: number) => headerEnd + place * recordBytes
  return {
    ...{ start, end, evaluatedAt },
    length: uids.length,
    isWhole: !uids.includes(''),
    isAt: (place, digest) =>
      place < uids.length && digest.compare(body, placeOf(place), placeOf(place) + digestBytes) === 0,
    digestAt: (place) => body.subarray(placeOf(place), placeOf(place) + digestBytes),
    itemAt(place) {
      const uid = uids[place]
      if (uid === undefined || uid === '') return undefined
      const at = placeOf(place) + digestBytes
      const until = body.readUInt32LE(at + 4)
      const { lifted = none, waivers = none } = more[place] ?? {}
      return new KnownItem({
        uid,
        version: body.readUInt32LE(at),
        until: until === never ? Number.POSITIVE_INFINITY : until * 1000,
        entries: body.readUInt8(at + 8),
        shape: shapes[body.readUInt8(at + 9)] ?? new Set(),
        ...{ lifted, waivers },
      })
    },
  }
}

const none: readonly never[] = []
