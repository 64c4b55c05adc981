import type { Json } from '../model/json.ts'
import type { Kind, Listing } from '../model/resource.ts'
import type { Loss } from '../rules/look.ts'
import { isMassRemoval } from '../rules/project/mass-removal.ts'
import { partByFilter } from './find-removals.ts'
import type { Proof } from './prove-identity.ts'
import type { Stage } from './stage-resources.ts'
import type { Walk } from './walk-listing.ts'

export interface Guard {
  /** What the policy takes for a mass removal; undefined: nothing. */
  readonly limits: Json | undefined
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  /** How many resources of a kind were known before and seen again. */
  seenAgain(kind: Kind): number
}

export interface Held {
  readonly walks: readonly Walk[]
  readonly losses: readonly Loss[]
}

/**
 * Holds back what nobody should believe at once: the loss of a large part of a listing, and any loss that an empty list
 * makes of which nobody can say whose it is. Such a walk is `suspect` and removes nothing. The next walk that reaches
 * the end is believed where it misses the same resources; if it misses too many others, it is held in turn.
 */
export async function holdLosses(stage: Stage, { walks, unproven }: Proof, guard: Guard): Promise<Held> {
  const held: Walk[] = []
  const losses: Loss[] = []
  for (const walk of walks) {
    const { listing, status } = walk.coverage
    const isGuarded = listing !== 'project' && status === 'complete' && !guard.acceptsRemovals
    const loss = isGuarded ? await findUnbelieved(stage, listing, unproven.has(listing), guard) : undefined
    if (loss !== undefined) losses.push(loss)
    const reason = unproven.has(listing)
      ? 'empty where there were resources, and the service cannot say whose key it is: believed when the next walk is empty too'
      : `${loss?.missing} of ${loss?.known} ${listing} are gone at once: believed when the next walk misses them too, or with --accept-removals`
    held.push(loss === undefined ? walk : { ...walk, coverage: { ...walk.coverage, status: 'suspect', reason } })
  }
  return { walks: held, losses }
}

/** What a walk misses and is not believed yet; undefined when there is no such thing. */
async function findUnbelieved(
  { draft, project, filters }: Stage,
  listing: Exclude<Listing, 'project'>,
  isUnproven: boolean,
  { limits, seenAgain }: Guard,
): Promise<Loss | undefined> {
  const kind = kindOf[listing]
  const unseen = await draft.unseen(project, kind)
  if (unseen.length === 0) return undefined
  const [missing] = await partByFilter({ draft, filters }, kind, unseen)
  const known = missing.length + seenAgain(kind)
  const isTooMuch = (count: number) =>
    isUnproven ? count > 0 : limits !== undefined && isMassRemoval({ missing: count, known }, limits)
  if (!isTooMuch(missing.length)) return undefined
  const before = new Set(await draft.heldBefore(project, listing))
  const fresh = missing.filter(({ uid }) => !before.has(uid))
  if (!isTooMuch(fresh.length)) return undefined
  await draft.hold(
    project,
    listing,
    missing.map(({ uid }) => uid),
  )
  return { listing, missing: missing.length, known }
}

const kindOf = { endpoints: 'endpoint', sources: 'source', subscriptions: 'subscription' } as const
