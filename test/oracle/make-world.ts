import { createRandom } from '../../src/demo/random.ts'
import type { History } from '../../src/history/history.ts'
import type { Report } from '../../src/model/report.ts'
import type { Filters, Offer } from '../../src/service/settings.ts'
import { openAuditHarness } from '../audit/audit-harness.ts'
import { acceptViolation } from '../audit/fleet-fixture.ts'
import { startRandomFleet } from './random-fleet.ts'
import type { Exceptions, Rules } from './random-policy.ts'
import { type Recorded, startRecordingProxy } from './recording-proxy.ts'

type Violation = Report['violations'][number]
type AcceptedPlace = Pick<Violation, 'project' | 'rule' | 'kind' | 'uid' | 'path'>

/** Rules that read one field, which is what a violation of them is accepted with. */
const accepted: ReadonlySet<string> = new Set([
  ...['endpoint/url-not-https', 'endpoint/url-raw-ip', 'endpoint/timeout-high', 'endpoint/timeout-low'],
  ...['endpoint/inactive', 'source/url-not-https', 'subscription/type-cli'],
])

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
    readonly listings: Readonly<Partial<Record<'sources' | 'project' | 'filters' | 'event_types', Offer>>>
    readonly filters: Filters
    /** Of how many subscriptions of a project filter rows are read at most. */
    readonly filters_per_run: number
    readonly accepts_removals: boolean
    readonly rules: Rules
    readonly exceptions: Exceptions
    /** Violations that a person accepted before it. */
    readonly accepted: readonly AcceptedPlace[]
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
  await using world = await startRandomFleet(seed, random, { projects: 1 + random.below(3), readsRows: true })
  const { service, projects, listings, labels } = world
  await using proxy = await startRecordingProxy(service.url)
  await using harness = openAuditHarness({ ...world, limits: { retries: 1 }, ...(openHistory && { openHistory }) })
  const nextTurn = world.begin()
  const runs: World['runs'][number][] = []
  const reports: Report[] = []
  let waiting: AcceptedPlace[] = []

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
      filters_per_run: turn.filtersPerRun ?? 2000,
      accepts_removals: turn.acceptsRemovals,
      rules,
      exceptions,
      accepted: waiting,
      exchanges: await proxy.take(),
    })
    waiting = await acceptSome(reports.at(-1))
  }
  async function acceptSome(report: Report | undefined): Promise<AcceptedPlace[]> {
    const open =
      report?.violations.filter(({ rule, state }) => accepted.has(rule) && /opened|continuing/.test(state)) ?? []
    const chosen = open.filter(() => random.chance(0.15))
    for (const violation of chosen) if (report !== undefined) await acceptViolation(harness, report, violation)
    return chosen.map(({ project, rule, kind, uid, path }) => ({ project, rule, kind, uid, path }))
  }

  const named = Object.fromEntries(Object.entries(projects).map(([name, uid]) => [`acme/${name}`, uid]))
  return { world: { seed, projects: named, labels, runs }, reports }
}
