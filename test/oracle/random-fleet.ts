import { changeEndpoint, updateSource } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom, type Random } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { Filters, Offer } from '../../src/gateway/service/settings.ts'
import { type FailOn, failOnChoices } from '../../src/model/violation.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { editAtRandom } from './random-edits.ts'
import { disturb } from './random-faults.ts'
import { disturbRows, editRowsAtRandom, filtersPerRun, rowOffers } from './random-filter-rows.ts'
import {
  knownRules,
  type Rules,
  randomExceptions,
  randomPolicy,
  withOtherOptions,
  withoutSome,
  writePolicy,
} from './random-policy.ts'

interface FleetOptions {
  readonly projects: number
  readonly latencyMs?: number
  /** Whether filter rows and the catalogue of event types are edited, break, and are read. Default: no. */
  readonly readsRows?: boolean
}

/** A service with a random fleet, and how it changes and breaks from run to run. */
export async function startRandomFleet(
  seed: string,
  random: Random,
  { projects: count, latencyMs = 0, readsRows = false }: FleetOptions,
) {
  // Numbers of their own: fleets without rows stay as they are.
  const severityRandom = createRandom(`${seed}/severities`)
  const rowRandom = readsRows ? createRandom(`${seed}/rows`) : undefined
  const fleet = generateFleet({
    seed,
    projects: count,
    incomingEvery: random.pick([1, 2, 2, 3]),
    endpointsPerProject: random.pick([0, 4, 8, 8, 14]),
    ...(random.chance(0.4) && { subscriptionsPerProject: random.pick([0, 4, 20]) }),
    sourcesPerProject: random.pick([1, 3, 5, 14]),
    clean: random.chance(0.3),
  })
  lengthenMasks(fleet, seed)
  shareOwners(fleet, seed)
  const service = await startSimulatedService(fleet, {
    release: random.pick(['older', 'seed', 'seed', 'later']),
    maxPageSize: random.pick([4, 1000, 1000]),
    now: () => Date.parse('2026-11-21T03:00:00Z'),
    latencyMs,
  })
  service.behaviour.offers = { ...service.behaviour.offers, sources: random.chance(0.7), project: random.chance(0.75) }
  const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
  // Only the latest release shows whether a row is on.
  if (rowRandom?.chance(0.4)) service.behaviour.release = 'later'
  const listings = { ...offersOf(random), ...(rowRandom && rowOffers(rowRandom)) }
  const labels: Record<string, string> = random.pick<Record<string, string>>([{}, { env: 'prod' }, { env: 'test' }])
  const pageSize = random.pick([1, 2, 2, 3, 5, 20])

  /** Returns what changes the fleet and the service, and says how the next run audits them. */
  function begin() {
    let filters = filtersOf(random)
    let rules = randomPolicy(random, severityRandom)
    let exceptions = randomExceptions(fleet, random, severityRandom)
    let off = offAmong(rules, severityRandom)
    let most = rowRandom && filtersPerRun(rowRandom)
    return () => {
      for (let edits = random.pick([0, 2, 5, 12, 30]); edits > 0; edits--) editAtRandom(fleet, random)
      disturb(service, random)
      if (rowRandom !== undefined) {
        for (let edits = rowRandom.pick([0, 1, 3, 8, 20]); edits > 0; edits--) editRowsAtRandom(fleet, rowRandom)
        disturbRows(service, rowRandom)
        if (rowRandom.chance(0.2)) most = filtersPerRun(rowRandom)
      }
      if (random.chance(0.15)) filters = filtersOf(random)
      if (random.chance(0.2)) {
        rules = random.chance(0.5) ? randomPolicy(random, severityRandom) : withoutSome(rules, random)
        off = offAmong(rules, severityRandom)
      } else if (severityRandom.chance(0.15)) rules = withOtherOptions(rules, severityRandom)
      if (random.chance(0.25)) exceptions = randomExceptions(fleet, random, severityRandom)
      const waitMs = random.pick([0, 600_000, 5 * 3_600_000, 26 * 3_600_000, 8 * 86_400_000])
      const names = Object.keys(projects)
      const chosen = random.chance(0.15) ? names.filter(() => random.chance(0.6)) : names
      const written = writePolicy(rules, off, exceptions)
      return {
        waitMs,
        rules,
        exceptions,
        policy: policyOf(written.text),
        policyLines: written.lines,
        failOn: severityRandom.pick<FailOn>(['medium', 'medium', 'medium', ...failOnChoices]),
        only: chosen.map((name) => `acme/${name}`),
        listings: {
          ...(random.chance(0.1) ? { ...listings, ...offersOf(random) } : listings),
          ...(rowRandom?.chance(0.1) && rowOffers(rowRandom)),
        },
        ...(most !== undefined && { filtersPerRun: most }),
        filters,
        keys: keysOf(fleet.projects(), random),
        acceptsRemovals: random.chance(0.1),
      }
    }
  }

  return {
    fleet,
    service,
    projects,
    listings,
    labels,
    pageSize,
    begin,
    key: fleet.personalKey,
    [Symbol.asyncDispose]: () => service.close(),
  }
}

/** Some of the rules that a policy does not ask for are named to say so. */
function offAmong(rules: Rules, random: Random): readonly string[] {
  return knownRules.filter((rule) => rules[rule] === undefined && random.chance(0.4))
}

/** Whether 16 digits are random is a matter of likelihood, and hookdrift's alone; 40 digits leave no doubt. */
function lengthenMasks(fleet: SimulatedFleet, seed: string): void {
  const random = createRandom(`oracle/${seed}/masks`)
  for (const { uid: project } of fleet.projects()) {
    for (const { uid, url, mask_id } of fleet.open(project).sources) {
      const mask = random.hex(40)
      updateSource(fleet, { project, uid }, { mask_id: mask, url: url.replace(mask_id, mask) })
    }
  }
}

/** So that the filters of runs show some endpoints. */
function shareOwners(fleet: SimulatedFleet, seed: string): void {
  const random = createRandom(`oracle/${seed}/owners`)
  for (const { uid: project } of fleet.projects()) {
    for (const { uid, owner_id } of fleet.open(project).endpoints) {
      const owner = random.pick([owner_id, 'tenant-01', 'tenant-02'])
      changeEndpoint(fleet, { project, uid }, (row) => ({ ...row, owner_id: owner }))
    }
  }
}

function offersOf(random: Random): { readonly sources: Offer; readonly project: Offer } {
  const offer = () => random.pick<Offer>(['auto', 'auto', 'required', 'off'])
  return { sources: offer(), project: offer() }
}

function filtersOf(random: Random): Filters {
  return random.pick<() => Filters>([
    () => ({}),
    () => ({}),
    () => ({}),
    () => ({}),
    () => ({ endpoints: { owner: random.pick(['tenant-01', 'tenant-02']) } }),
    () => ({ endpoints: { name: random.pick(['e', 'i', 'new']) } }),
    () => ({ subscriptions: { name: random.pick(['e', 'i']) } }),
  ])()
}

/** Mostly the one key for all; now and then a project's own, or that of a neighbour. */
function keysOf(
  projects: readonly { readonly name: string; readonly key: string }[],
  random: Random,
): Readonly<Record<string, string>> {
  const own = Object.fromEntries(projects.map(({ name, key }) => [name, key]))
  if (random.chance(0.1)) return own
  const [first, second] = projects
  if (first === undefined || !random.chance(0.08)) return {}
  return { [first.name]: second?.key ?? 'CO.unknown.not-a-real-key' }
}
