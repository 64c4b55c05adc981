import {
  compareReleases,
  intersectReleases,
  isBelow,
  isFrom,
  type Release,
  type ReleaseRange,
} from '../model/release-range.ts'
import type { Listing } from '../model/resource.ts'
import { type Members, resourceFields } from './fields.ts'

/** Fields whose values change by themselves, and whose presence shows the release. */
export const volatileSigns = ['cb_state', 'failure_rate'] as const

/** Gathers what the items of a service show of its release. */
export class ReleaseSigns {
  readonly #lastShape = new Map<Listing, ReadonlySet<string>>()
  readonly #present = new Set<ReleaseSign>()
  readonly #absent = new Set<ReleaseSign>()

  /** Notes the fields of an item. Most items of a listing have the same object as their shape. */
  note(listing: Listing, shape: ReadonlySet<string>): void {
    if (this.#lastShape.get(listing) === shape) return
    this.#lastShape.set(listing, shape)
    for (const sign of releaseSigns) {
      if (sign.listing !== listing) continue
      if (sign.names.some((name) => shape.has(name))) this.#present.add(sign)
      else if (shape.has(sign.near)) this.#absent.add(sign)
    }
  }

  /** Whether an item showed what only a release or a later one has. */
  readonly isFrom = (release: Release): boolean =>
    [...this.#present].some(({ first }) => compareReleases(first, release) >= 0)

  /** undefined: no item showed anything. */
  range(): ReleaseRange | undefined {
    const ofListings = Map.groupBy([...this.#present, ...this.#absent], ({ listing }) => listing)
    return intersectReleases([...ofListings.values()].map((signs) => this.#rangeOf(signs)))
  }

  /** Of one listing. Instances of two releases may answer for its pages: then nothing follows from it. */
  #rangeOf(signs: readonly ReleaseSign[]): ReleaseRange {
    const releases = (of: ReadonlySet<ReleaseSign>) =>
      signs.flatMap((sign) => (of.has(sign) ? sign.first : [])).sort(compareReleases)
    const from = releases(this.#present).at(-1) ?? null
    const below = releases(this.#absent)[0] ?? null
    if (from !== null && below !== null && compareReleases(from, below) >= 0)
      return { from: null, below: null, contradictory: true }
    return { from, below, contradictory: false }
  }
}

/** The first release that clears its cache. */
export const clearedFrom: Release = 'v26.6.1'

/** How old settings may be, in minutes: with a project's key, and with a personal key; 0: as they are. */
export interface SettingsAge {
  readonly projectKey: number
  readonly personalKey: number
}

/** How old the settings may be that a service of these releases answers with. Where nothing shows its release: 0. */
export function settingsAge(release: ReleaseRange | undefined): SettingsAge {
  if (release === undefined || (release.from === null && release.below === null))
    return { projectKey: 0, personalKey: 0 }
  const possible = caches.filter(({ first, until }) => !isFrom(release, until) && !isBelow(release, first))
  const longest = (of: readonly { readonly minutes: number }[]) => Math.max(0, ...of.map(({ minutes }) => minutes))
  return { projectKey: longest(possible), personalKey: longest(possible.filter(({ keys }) => keys === 'all')) }
}

/** A field by which a release of the service differs from earlier ones: this one and all later ones show it in each item. */
interface ReleaseSign {
  readonly listing: Listing
  /** Names of the field, as paths in an item; one is enough. */
  readonly names: readonly string[]
  /** A field that earlier releases show too: where it is absent, an item was shown in part, and nothing follows. */
  readonly near: string
  readonly first: Release
}

/** Subscriptions may leave out `delivery_mode`, which is newer, and are no signs. */
const signsByListing = [
  { listing: 'project', members: resourceFields.project, near: 'config.strategy' },
  { listing: 'endpoints', members: resourceFields.endpoint, near: 'failure_rate' },
  { listing: 'sources', members: resourceFields.source, near: 'body_function' },
] as const satisfies readonly { listing: Listing; members: Members; near: string }[]

/** Fields that a release shows in every item, and those before it in none. What is left out when empty shows none. */
const releaseSigns: readonly ReleaseSign[] = signsByListing.flatMap(({ listing, members, near }) =>
  newerFields(members, '').map(([names, first]) => ({ listing, names, near, first })),
)

function newerFields(members: Members, prefix: string): (readonly [names: readonly string[], first: Release])[] {
  return Object.entries(members).flatMap(([name, field]) => {
    const names = [name, ...(field.formerly === undefined ? [] : [field.formerly.name])].map((one) => prefix + one)
    const isShape = field.use === undefined || volatileSigns.some((sign) => sign === name)
    if (field.since !== undefined) return isShape ? [[names, field.since] as const] : []
    const isStruct = field.type === 'struct' && field.collapse === undefined
    return isStruct ? newerFields(field.members, `${prefix}${name}.`) : []
  })
}

/**
 * Releases that answer with the settings of a project from a cache which an update of the project does not clear. From
 * Convoy's source, `retrieveProject` at each tag; tried with v26.3.6, where a personal key gets the settings as they are.
 */
const caches = [
  { first: 'v26.1.4', until: 'v26.3.7', minutes: 60, keys: 'project' },
  { first: 'v26.3.7', until: 'v26.6.1', minutes: 5, keys: 'all' },
] as const satisfies readonly { first: Release; until: Release; minutes: number; keys: 'project' | 'all' }[]

/** The longest that any release keeps settings, in milliseconds. */
export const longestCacheMs = Math.max(...caches.map(({ minutes }) => minutes)) * 60_000
