import { createRandom } from '../../src/demo/random.ts'
import type { History } from '../../src/history/history.ts'
import type { Report } from '../../src/model/report.ts'
import type { Filters, Offer } from '../../src/service/settings.ts'
import { openAuditHarness } from '../audit/audit-harness.ts'
import { startRandomFleet } from './random-fleet.ts'
import type { Exceptions, Rules } from './random-policy.ts'
import { type Recorded, startRecordingProxy } from './recording-proxy.ts'

/** All that the oracle gets: what was requested, and what the service answered. */
export interface World {
  readonly seed: string
  /** uids by `service/project`. */
  readonly projects: Readonly<Record<string, string>>
  readonly labels: Readonly<Record<string, string>>
  readonly runs: readonly {
    readonly started_at: string
    /** Names of the projects that were scanned. */
    readonly scanned: readonly string[]
    readonly listings: { readonly sources: Offer; readonly project: Offer }
    readonly filters: Filters
    readonly accepts_removals: boolean
    readonly rules: Rules
    readonly exceptions: Exceptions
    readonly exchanges: readonly Recorded[]
  }[]
}

/**
 * A random fleet, audited several times while it changes and breaks; with what hookdrift said of each run. `openHistory`:
 * where it is not a file.
 */
export async function makeWorld(
  seed: string,
  openHistory?: () => Promise<History>,
): Promise<{ world: World; reports: readonly Report[] }> {
  const random = createRandom(`oracle/${seed}`)
  await using world = await startRandomFleet(seed, random, { projects: 1 + random.below(3) })
  const { service, projects, listings, labels } = world
  await using proxy = await startRecordingProxy(service.url)
  await using harness = openAuditHarness({ ...world, limits: { retries: 1 }, ...(openHistory && { openHistory }) })
  const nextTurn = world.begin()
  const runs: World['runs'][number][] = []
  const reports: Report[] = []

  for (let left = 3 + random.below(4); left > 0; left--) {
    const { waitMs, rules, exceptions, ...turn } = nextTurn()
    harness.advance(waitMs)
    const startedAt = new Date(harness.clock.now() + 60_000).toISOString()
    reports.push(await harness.audit({ ...turn, url: proxy.url }))
    runs.push({
      started_at: startedAt,
      scanned: turn.only,
      listings: { ...listings, ...turn.listings },
      filters: turn.filters,
      accepts_removals: turn.acceptsRemovals,
      rules,
      exceptions,
      exchanges: proxy.take(),
    })
  }
  const named = Object.fromEntries(Object.entries(projects).map(([name, uid]) => [`acme/${name}`, uid]))
  return { world: { seed, projects: named, labels, runs }, reports }
}
