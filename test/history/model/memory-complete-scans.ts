import { deriveCompleteScans } from '../../../src/history/derive-complete-scans.ts'
import type { CompleteScans } from '../../../src/history/records.ts'
import type { Listing } from '../../../src/model/resource.ts'
import type { RunRow, WalkRow } from './memory-rows.ts'

/** The last complete scans among a project's walks. */
export function memoryCompleteScans(walks: readonly WalkRow[], runs: readonly RunRow[]): CompleteScans {
  const lists = (run: number) =>
    walks.some((walk) => walk.run === run && walk.listing === 'sources' && walk.status !== 'skipped')
  const last = (listing: Listing, holds: (run: number) => boolean) => {
    const walk = walks.findLast((walk) => walk.listing === listing && walk.status === 'complete' && holds(walk.run))
    return walk === undefined ? undefined : { run: walk.run, filter: walk.filter }
  }
  return deriveCompleteScans({
    lastComplete: (listing) => last(listing, () => true),
    lastLifted: () => last('subscriptions', (run) => !lists(run)),
    normaliserOf: (run) => runs.find(({ number }) => number === run)?.normaliser,
  })
}
