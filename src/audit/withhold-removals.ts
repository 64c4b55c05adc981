import type { CurrentVersion } from '../history/staged.ts'
import type { CoverageCause } from '../model/coverage.ts'
import type { Json } from '../model/json.ts'
import { type Kind, type Listing, listings } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { cut } from '../model/text/neutralise.ts'
import type { UnconfirmedRemoval } from '../rules/engine/rule.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import type { Contradictions, EmbeddedListing } from './find-contradictions.ts'
import { partByFilter, type UnseenVersions } from './find-removals.ts'
import { kindOf, type ProjectScan } from './project-scan.ts'
import type { Walk } from './project-walk.ts'
import type { Proof } from './prove-identity.ts'

export interface RemovalLimits {
  /** What the policy takes for a mass removal; undefined: nothing. */
  readonly limits: Json | undefined
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain: ReadonlyMap<Kind, number>
  /** Fields that every release shows and that no item of a listing did. */
  readonly fieldsMissing: (listing: Listing) => readonly string[]
  readonly unseen: UnseenVersions
  /** Uids that a list leaves out and that subscriptions of the same scan show. */
  readonly contradictions: Contradictions
}

export interface WithheldWalks {
  readonly walks: readonly Walk[]
  /** Uids of the removals that wait for the next scan, by listing. */
  readonly withheld: ReadonlyMap<Listing, readonly string[]>
  readonly losses: readonly UnconfirmedRemoval[]
  /** Whether an earlier scan withheld removals of a listing that this scan did not read to its end. */
  readonly isLossOpen: boolean
}

/**
 * Withholds what should not be believed at once. Such a walk is `suspect` and removes nothing:
 * - no item shows a field that every release shows: not accepted until one does, because what the list says is unknown
 * - subscriptions of the same scan show what the list leaves out: not accepted until both agree
 * - a large part of a listing is missing: accepted when the next walk that reaches its end misses the same resources; if it
 *   misses too many others, they are withheld in turn
 * - a catalogue of event types came empty: likewise
 * - a promised page came empty: accepted when the next walk misses nothing else
 * - an empty list whose project cannot be determined: never accepted, however often it comes, because a service that
 *   answers every request so would empty every project
 */
export function withholdRemovals(scan: ProjectScan, { walks, unproven }: Proof, guard: RemovalLimits): WithheldWalks {
  const decided: Walk[] = []
  const withheld = new Map<Listing, readonly string[]>()
  const losses: UnconfirmedRemoval[] = []
  for (const walk of walks) {
    const doubt =
      findFieldsMissing(scan, walk, guard) ??
      (guard.acceptsRemovals ? undefined : findDoubt(scan, walk, unproven, guard))
    if (doubt?.loss !== undefined) losses.push(doubt.loss)
    if (doubt?.withheld !== undefined) {
      withheld.set(
        walk.coverage.listing,
        doubt.withheld.map(({ uid }) => uid),
      )
    }
    decided.push(
      doubt === undefined
        ? walk
        : { ...walk, coverage: { ...walk.coverage, status: 'suspect', cause: doubt.cause, reason: doubt.reason } },
    )
  }
  return { walks: decided, withheld, losses, isLossOpen: isLossOpen(scan, walks) }
}

function isLossOpen({ before }: ProjectScan, walks: readonly Walk[]): boolean {
  const read = new Set(
    walks.filter(({ coverage }) => coverage.status === 'complete').map(({ coverage }) => coverage.listing),
  )
  return listings.some((listing) => !read.has(listing) && (before.withheld.get(listing)?.length ?? 0) > 0)
}

interface Doubt {
  readonly cause: CoverageCause
  readonly reason: string
  /** What is gone, where it is too much. */
  readonly loss: UnconfirmedRemoval | undefined
  /** What waits for the next scan, where it is known. */
  readonly withheld?: readonly CurrentVersion[] | undefined
}

/** What no rule can evaluate was not seen to its end, even where a person accepts removals. */
function findFieldsMissing(
  scan: ProjectScan,
  { coverage: { listing, status, items } }: Walk,
  guard: RemovalLimits,
): Doubt | undefined {
  if (listing === 'project' || status !== 'complete') return undefined
  const fields = guard.fieldsMissing(listing)
  if (fields.length === 0) return undefined
  const missing = findMissing(scan, listing, guard)
  const all = items === 1 ? 'the only item does not show' : `none of ${items} items shows`
  const reason = `${all} ${fields.join(', ')}, which every release shows: nothing is removed or resolved until it is seen again`
  // What is not among these was seen: a replay knows it by this.
  return { cause: 'unseen_fields', reason, loss: undefined, withheld: missing.length > 0 ? missing : undefined }
}

function describeContradiction(listing: EmbeddedListing, contradicted: ReadonlySet<string>): string {
  const named = [...contradicted].slice(0, mostNamed).map((uid) => cut(uid.toWellFormed(), longestUid))
  const others = contradicted.size - named.length
  const what = count(contradicted.size, kindOf[listing])
  const uids = `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`
  return `subscriptions of the same scan show ${what} that the list leaves out (${uids}): nothing is removed until a scan shows no contradiction, or with --accept-removals`
}

const mostNamed = 5
/** What a subscription embeds was not checked as items are. */
const longestUid = 100

/** What was known and is not listed, as far as the filters would show it. */
function findMissing(
  scan: ProjectScan,
  listing: Exclude<Listing, 'project'>,
  { unseen: unseenOf }: Pick<RemovalLimits, 'unseen'>,
): readonly CurrentVersion[] {
  const unseen = unseenOf(kindOf[listing])
  const [missing] = unseen.length === 0 ? [[]] : partByFilter(scan, kindOf[listing], unseen)
  return missing
}

/** Why a walk that reached its end is not believed yet; undefined when it is. */
function findDoubt(
  scan: ProjectScan,
  { coverage, lacksPromisedPage }: Walk,
  nameless: ReadonlySet<Listing>,
  guard: RemovalLimits,
): Doubt | undefined {
  const { listing, status } = coverage
  if (listing === 'project' || status !== 'complete') return undefined
  const { lastComplete, before } = scan
  const { limits, seenAgain, contradictions } = guard
  const kind = kindOf[listing]
  const missing = findMissing(scan, listing, guard)
  const total = missing.length + (seenAgain.get(kind) ?? 0)
  const loss = { listing, missing: missing.length, total }
  if (nameless.has(listing)) {
    const unproven = listing === 'event_types' && coverage.items > 0 ? unprovenItems : unprovenEmpty
    if (missing.length > 0) return { ...unproven, loss }
    // What once was seen, proven empty or accepted, and holds nothing since, has nothing to lose.
    return lastComplete[kind]?.listing === listing ? undefined : { ...unproven, loss: undefined }
  }
  const isTooMuch = (count: number) =>
    count > 0 && limits !== undefined && isMassRemoval({ missing: count, total }, limits)
  // No request of the service deletes an event type, and `*` is in the catalogue of every project.
  const isEmptied = listing === 'event_types' && coverage.items === 0 && missing.length > 0
  const isLarge = isEmptied || isTooMuch(missing.length)
  if (
    (listing === 'endpoints' || listing === 'sources') &&
    coverage.filter === null &&
    contradictions[listing].size > 0
  ) {
    const reason = describeContradiction(listing, contradictions[listing])
    const withheld = missing.length > 0 ? missing : undefined
    return { cause: 'contradicted', reason, loss: isLarge ? loss : undefined, withheld }
  }
  if (!isLarge && !lacksPromisedPage) return undefined
  const last = before.withheld.get(listing)
  const withheld = new Set(last)
  const fresh = missing.filter(({ uid }) => !withheld.has(uid))
  const isNew = isEmptied || lacksPromisedPage ? last === undefined || fresh.length > 0 : isTooMuch(fresh.length)
  if (!isNew) return undefined
  if (!isLarge) return { ...promised, loss: undefined, withheld: missing }
  const reason = `${loss.missing} of ${total} ${listing} missing at once; accepted if the next scan confirms it, or with --accept-removals`
  return { cause: 'suspect_loss', reason, loss, withheld: missing }
}

const unprovenItems = {
  cause: 'unproven',
  reason:
    "its items do not name their project, and the service cannot confirm the key's: not accepted, however often it " +
    'comes. Check the key; if it is right, run `hookdrift audit --accept-removals` once',
} as const

const unprovenEmpty = {
  cause: 'unproven',
  reason:
    "empty, and the service cannot confirm the key's project: not accepted, however often it comes. " +
    'Check the key; if the project is really empty, run `hookdrift audit --accept-removals` once',
} as const

const promised = {
  cause: 'suspect_page',
  reason:
    'the last page is empty although the page before it promised more; accepted if the next scan misses nothing else, or with --accept-removals',
} as const
