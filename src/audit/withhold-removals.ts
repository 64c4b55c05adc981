import type { CoverageCause } from '../model/coverage.ts'
import type { Json } from '../model/json.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { UnconfirmedRemoval } from '../rules/engine/scan-outcome.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import { partByFilter } from './find-removals.ts'
import type { ProjectContext } from './project-context.ts'
import { kindOf } from './project-scan.ts'
import type { Proof } from './prove-identity.ts'
import type { Walk } from './walk-listing.ts'

export interface RemovalLimits {
  /** What the policy takes for a mass removal; undefined: nothing. */
  readonly limits: Json | undefined
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain: ReadonlyMap<Kind, number>
}

export interface WithheldWalks {
  readonly walks: readonly Walk[]
  readonly losses: readonly UnconfirmedRemoval[]
}

/**
 * Withholds what should not be believed at once. Such a walk is `suspect` and removes nothing:
 * - a large part of a listing is missing: accepted when the next walk that reaches its end misses the same resources; if it
 *   misses too many others, they are withheld in turn
 * - a promised page came empty: accepted when the next walk misses nothing else
 * - an empty list whose project cannot be determined: never accepted, however often it comes, because a service that
 *   answers every request so would empty every project
 */
export async function withholdRemovals(
  context: ProjectContext,
  { walks, unproven }: Proof,
  guard: RemovalLimits,
): Promise<WithheldWalks> {
  const withheld: Walk[] = []
  const losses: UnconfirmedRemoval[] = []
  for (const walk of walks) {
    const doubt = guard.acceptsRemovals ? undefined : await findDoubt(context, walk, unproven, guard)
    if (doubt?.loss !== undefined) losses.push(doubt.loss)
    withheld.push(
      doubt === undefined
        ? walk
        : { ...walk, coverage: { ...walk.coverage, status: 'suspect', cause: doubt.cause, reason: doubt.reason } },
    )
  }
  return { walks: withheld, losses }
}

interface Doubt {
  readonly cause: CoverageCause
  readonly reason: string
  /** What is gone, where it is too much. */
  readonly loss: UnconfirmedRemoval | undefined
}

/** Why a walk that reached its end is not believed yet; undefined when it is. */
async function findDoubt(
  context: ProjectContext,
  { coverage, lacksPromisedPage }: Walk,
  empty: ReadonlySet<Listing>,
  { limits, seenAgain }: RemovalLimits,
): Promise<Doubt | undefined> {
  const { listing, status } = coverage
  if (listing === 'project' || status !== 'complete') return undefined
  const { draft, project, lastComplete } = context
  const kind = kindOf[listing]
  const unseen = await draft.unseen(project, kind)
  const [missing] = unseen.length === 0 ? [[]] : await partByFilter(context, kind, unseen)
  const known = missing.length + (seenAgain.get(kind) ?? 0)
  const loss = { listing, missing: missing.length, known }
  if (empty.has(listing)) {
    if (missing.length > 0) return { ...unproven, loss }
    // What once was seen, proven empty or accepted, and holds nothing since, has nothing to lose.
    return lastComplete[kind]?.listing === listing ? undefined : { ...unproven, loss: undefined }
  }
  const isTooMuch = (count: number) => limits !== undefined && isMassRemoval({ missing: count, known }, limits)
  const isLarge = isTooMuch(missing.length)
  if (!isLarge && !lacksPromisedPage) return undefined
  const before = await draft.previouslyWithheld(project, listing)
  const withheld = new Set(before)
  const fresh = missing.filter(({ uid }) => !withheld.has(uid))
  const isNew = lacksPromisedPage ? before === undefined || fresh.length > 0 : isTooMuch(fresh.length)
  if (!isNew) return undefined
  const uids = missing.map(({ uid }) => uid)
  await draft.withholdRemovals(project, listing, uids)
  if (!isLarge) return { ...promised, loss: undefined }
  const reason = `${loss.missing} of ${known} ${listing} missing at once; accepted if the next scan confirms it, or with --accept-removals`
  return { cause: 'suspect_loss', reason, loss }
}

const unproven = {
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
