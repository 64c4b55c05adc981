import { normaliserVersion } from '../gateway/fields.ts'
import type { Sealer } from '../gateway/inventory/sealer.ts'
import type { IdentifyItem, ItemIdentity, PagedListing } from '../gateway/service/service-client.ts'
import { parseFacts, parseStored } from '../history/stored-body.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isReadable, type Listing, type Resource } from '../model/resource.ts'
import type { StagedResource } from './compare-resources.ts'
import type { KnownVersions } from './known-versions.ts'
import { kindOf } from './project-scan.ts'

/** An item that a scan read: which version it became, and what of it no version keeps. */
type ItemRecord = readonly [digest: string, uid: string, form: string, volatile: JsonObject]

/** What a scan leaves for the next one. */
interface ItemReading {
  readonly normaliser: number
  readonly listings: Readonly<Partial<Record<Listing, readonly ItemRecord[]>>>
}

/** Of a listing: what is known of more would take more memory than normalising them takes time. */
const mostItems = 100_000
/** Characters of a version's digest that distinguish it from others. */
const formLength = 16

/**
 * The items of a project that its last scan read, by a keyed digest of their bytes.
 *
 * The normal form of an item is a pure function of its bytes, the installation key and the normaliser. A version keeps
 * that form, so the same bytes need not be normalised and sealed again: the version is read instead. Nothing else follows
 * from it. No policy, time, waiver, label or earlier outcome enters, and every rule is evaluated as if nothing were known.
 */
export class ItemMemory {
  readonly #versions: KnownVersions
  readonly #sealer: Sealer
  /** As it is stored. */
  readonly #stored: string | undefined
  readonly #before: Partial<Record<Listing, ReadonlyMap<string, ItemRecord>>> = {}
  readonly #now: Partial<Record<Listing, ItemRecord[]>> = {}

  constructor(versions: KnownVersions, sealer: Sealer, stored: string | undefined) {
    this.#versions = versions
    this.#sealer = sealer
    this.#stored = stored
    const reading = parseReading(stored, sealer)
    if (reading?.normaliser !== normaliserVersion) return
    for (const listing of ['endpoints', 'sources', 'subscriptions'] as const) {
      const items = reading.listings[listing] ?? []
      this.#before[listing] = new Map(items.map((item) => [item[0], item]))
    }
  }

  /** Identifies the items of a listing. */
  identifier(listing: PagedListing): IdentifyItem | undefined {
    const before = this.#before[listing]
    const kind = kindOf[listing]
    const { digest: digestOf } = this.#sealer
    if (digestOf === undefined) return undefined
    return (item) => {
      const digest = digestOf(item)
      const [, uid, form = ''] = before?.get(digest) ?? []
      const version = uid === undefined ? undefined : this.#versions.find(kind, uid)
      return { digest, uid: version?.digest.startsWith(form) === true ? uid : undefined }
    }
  }

  /** The resources of known items, by uid: as normalising their bytes would make them. */
  read(listing: Listing, identities: readonly ItemIdentity[]): ReadonlyMap<string, Resource> {
    const kind = kindOf[listing]
    return new Map(
      identities.flatMap(({ digest, uid }): [string, Resource][] => {
        const version = uid === undefined ? undefined : this.#versions.find(kind, uid)
        if (version === undefined || uid === undefined) return []
        const { name, body, facts } = version
        const [, , , volatile = {}] = this.#before[listing]?.get(digest) ?? []
        // Hookdrift wrote it as canonical JSON.
        return [[uid, { kind, uid, name, attributes: parseStored(body), volatile, ...parseFacts(facts) }]]
      }),
    )
  }

  /**
   * Notes for the next scan what items became. A version that carries something of earlier scans is not the form of one.
   */
  note(listing: Listing, identities: readonly ItemIdentity[], staged: readonly StagedResource[]): void {
    const items = this.#now[listing] ?? []
    for (const [at, { digest }] of identities.entries()) {
      const { resource, formDigest } = staged[at] ?? {}
      if (items.length >= mostItems) break
      if (resource === undefined || formDigest === undefined || !isWholeForm(resource)) continue
      items.push([digest, resource.uid, formDigest.slice(0, formLength), resource.volatile])
    }
    if (items.length > 0) this.#now[listing] = items
  }

  /** What the next scan gets; undefined where it has that already. */
  left(): string | undefined {
    if (this.#stored === undefined && Object.keys(this.#now).length === 0) return undefined
    const reading: ItemReading = { normaliser: normaliserVersion, listings: this.#now }
    const text = signed(JSON.stringify(reading), this.#sealer)
    return text === this.#stored ? undefined : text
  }
}

/** With a digest under the installation key before it: the chain does not cover it. */
function signed(json: string, sealer: Sealer): string {
  return `${sealer.digest?.(Buffer.from(json)) ?? ''} ${json}`
}

/** undefined where another key, or someone without the key, wrote it. */
function parseReading(stored: string | undefined, sealer: Sealer): ItemReading | undefined {
  if (stored === undefined) return undefined
  const json = stored.slice(stored.indexOf(' ') + 1)
  return stored === signed(json, sealer) ? JSON.parse(json) : undefined
}

/** Whether a version, and JSON for the rest, hold all that an item shows: not the sources and devices that it embeds. */
function isWholeForm(resource: Resource): boolean {
  const { source_uid: source = null, device_uid: device = null } = resource.attributes
  const isKept = (value: Json) => typeof value !== 'number' || Number.isFinite(value)
  return isReadable(resource) && source === null && device === null && Object.values(resource.volatile).every(isKept)
}
