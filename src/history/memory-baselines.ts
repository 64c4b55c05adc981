import type { Listing } from '../model/resource.ts'
import { baselinesFrom } from './baselines-from.ts'
import type { RunRow, WalkRow } from './memory-rows.ts'
import type { Baselines } from './records.ts'

/** The last complete looks among a project's walks. */
export function memoryBaselines(walks: readonly WalkRow[], runs: readonly RunRow[] = []): Baselines {
  const lists = (run: number) =>
    walks.some((walk) => walk.run === run && walk.listing === 'sources' && walk.status !== 'skipped')
  const last = (listing: Listing, holds: (run: number) => boolean) => {
    const walk = walks.findLast((walk) => walk.listing === listing && walk.status === 'complete' && holds(walk.run))
    return walk === undefined ? undefined : { run: walk.run, filter: walk.filter }
  }
  return baselinesFrom({
    lastComplete: (listing) => last(listing, () => true),
    lastLifted: () => last('subscriptions', (run) => !lists(run)),
    normaliserOf: (run) => runs.find(({ number }) => number === run)?.normaliser,
  })
}
