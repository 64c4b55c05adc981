import type { Json } from '../model/json.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { Loss } from '../rules/look.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import { partByFilter } from './find-removals.ts'
import type { ProjectContext } from './project-context.ts'
import type { Proof } from './prove-identity.ts'
import { kindOf, type Walk } from './walk-listing.ts'

export interface Guard {
  /** What the policy takes for a mass removal; undefined: nothing. */
  readonly limits: Json | undefined
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  /** How many resources of a kind were known before and seen again. */
  readonly seenAgain: ReadonlyMap<Kind, number>
}

export interface Held {
  readonly walks: readonly Walk[]
  readonly losses: readonly Loss[]
}

/**
 * Withholds what should not be believed at once. Such a walk is `suspect` and removes nothing:
 * - a large part of a listing is gone: believed when the next walk that reaches its end misses the same resources; if it
 *   misses too many others, they are withheld in turn
 * - a promised page came empty: believed when the next walk misses nothing else, whatever it misses
 * - an empty list of which nobody can say whose it is: never believed, however often it comes, because a service that
 *   answers every request so would empty every project
 */
export async function holdLosses(context: ProjectContext, { walks, unproven }: Proof, guard: Guard): Promise<Held> {
  const held: Walk[] = []
  const losses: Loss[] = []
  for (const walk of walks) {
    const doubt = guard.acceptsRemovals ? undefined : await findDoubt(context, walk, unproven, guard)
    if (doubt?.loss !== undefined) losses.push(doubt.loss)
    held.push(
      doubt === undefined ? walk : { ...walk, coverage: { ...walk.coverage, status: 'suspect', reason: doubt.reason } },
    )
  }
  return { walks: held, losses }
}

interface Doubt {
  readonly reason: string
  /** What is gone, where it is too much. */
  readonly loss: Loss | undefined
}

/** Why a walk that reached its end is not believed yet; undefined when it is. */
async function findDoubt(
  context: ProjectContext,
  { coverage, lacksPromisedPage }: Walk,
  unproven: ReadonlySet<Listing>,
  { limits, seenAgain }: Guard,
): Promise<Doubt | undefined> {
  const { listing, status } = coverage
  if (listing === 'project' || status !== 'complete') return undefined
  const { draft, project, filters, baselines } = context
  const kind = kindOf[listing]
  const unseen = await draft.unseen(project, kind)
  const [missing] = unseen.length === 0 ? [[]] : await partByFilter({ draft, filters }, kind, unseen)
  const known = missing.length + (seenAgain.get(kind) ?? 0)
  const loss = { listing, missing: missing.length, known }
  if (unproven.has(listing)) {
    if (missing.length > 0) return { reason: unprovenReason, loss }
    // What once was seen, proven empty or accepted, and holds nothing since, has nothing to lose.
    return baselines[kind]?.listing === listing ? undefined : { reason: unprovenReason, loss: undefined }
  }
  const isTooMuch = (count: number) => limits !== undefined && isMassRemoval({ missing: count, known }, limits)
  const isLarge = isTooMuch(missing.length)
  if (!isLarge && !lacksPromisedPage) return undefined
  const before = await draft.heldBefore(project, listing)
  const withheld = new Set(before)
  const fresh = missing.filter(({ uid }) => !withheld.has(uid))
  const isNew = lacksPromisedPage ? before === undefined || fresh.length > 0 : isTooMuch(fresh.length)
  if (!isNew) return undefined
  const uids = missing.map(({ uid }) => uid)
  await draft.hold(project, listing, uids)
  return {
    reason: isLarge
      ? `${loss.missing} of ${known} ${listing} are gone at once: believed when the next walk misses them too, or with --accept-removals`
      : promisedReason,
    loss: isLarge ? loss : undefined,
  }
}

const unprovenReason =
  'empty, and the service cannot say whose key it is: not believed, however often it comes. ' +
  'Check the key; if the project is really empty, run `hookdrift audit --accept-removals` once'

const promisedReason =
  'the last page is empty although the page before it promised more: believed when the next walk misses nothing else, or with --accept-removals'
