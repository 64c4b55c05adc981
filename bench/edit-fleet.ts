import {
  changeEndpoint,
  createEndpoint,
  createSubscription,
  deleteEndpoint,
  replaceSecret,
  setEndpointStatus,
  updateEndpoint,
  updateSubscription,
} from '../src/demo/edits.ts'
import type { SimulatedFleet } from '../src/demo/fleet.ts'
import { createRandom, type Random } from '../src/demo/random.ts'
import type { EndpointRow, SubscriptionRow } from '../src/demo/rows.ts'

/**
 * A day of edits, the same for the same day and fleet: about `changes` resources change. What colleagues do all year
 * leaves a fleet of the same size, and nothing that a policy minds more at its end than at its beginning.
 */
export function editFleet(fleet: SimulatedFleet, day: number, changes: number): void {
  const random = createRandom(`year/${day}`)
  const projects = fleet.projects().map(({ uid }) => uid)
  for (let changed = 0; changed < changes; ) {
    const project = projects[random.below(projects.length)] ?? ''
    changed += random.chance(0.5)
      ? random.pick(ofEndpoints)(fleet, project, random)
      : random.pick(ofSubscriptions)(fleet, project, random)
  }
}

/** Returns how many resources it changed. */
type Habit = (fleet: SimulatedFleet, project: string, random: Random) => number

function ofEndpoint(change: (fleet: SimulatedFleet, row: EndpointRow, random: Random) => void): Habit {
  return (fleet, project, random) => {
    const { endpoints } = fleet.open(project)
    const row = endpoints[random.below(endpoints.length)]
    if (row !== undefined) change(fleet, row, random)
    return 1
  }
}

function ofSubscription(change: (row: SubscriptionRow, random: Random) => Partial<SubscriptionRow>): Habit {
  return (fleet, project, random) => {
    const { subscriptions } = fleet.open(project)
    const row = subscriptions[random.below(subscriptions.length)]
    if (row !== undefined) updateSubscription(fleet, { project, uid: row.uid }, change(row, random))
    return 1
  }
}

const place = ({ project_id: project, uid }: EndpointRow) => ({ project, uid })

/** Pauses an endpoint of a project where none is paused, and else resumes it. */
const pauseOrResume: Habit = (fleet, project, random) => {
  const { endpoints } = fleet.open(project)
  const paused = endpoints.find(({ status }) => status === 'paused')
  const row = paused ?? endpoints[random.below(endpoints.length)]
  if (row !== undefined) setEndpointStatus(fleet, place(row), paused === undefined ? 'paused' : 'active')
  return 1
}

const ofEndpoints: readonly [Habit, ...Habit[]] = [
  ofEndpoint((fleet, row, random) =>
    updateEndpoint(fleet, place(row), { ...row, url: `${row.url.replace(/\/v\d+$/, '')}/v${random.below(1000)}` }),
  ),
  ofEndpoint((fleet, row, random) =>
    updateEndpoint(fleet, place(row), { ...row, rate_limit: 50 + random.below(150), rate_limit_duration: 60 }),
  ),
  ofEndpoint((fleet, row, random) =>
    changeEndpoint(fleet, place(row), (kept) => ({ ...kept, http_timeout: 5 + random.below(25) })),
  ),
  ofEndpoint((fleet, row, random) =>
    updateEndpoint(fleet, place(row), { ...row, description: `${row.name}, reviewed ${random.hex(4)}` }),
  ),
  ofEndpoint((fleet, row) => replaceSecret(fleet, place(row))),
  pauseOrResume,
  replacePartner,
]

const ofSubscriptions: readonly [Habit, ...Habit[]] = [
  ofSubscription((_, random) => ({
    retry_config: { type: 'exponential', duration: 60 + random.below(60), retry_count: 8 + random.below(5) },
  })),
  ofSubscription((_, random) => ({ rate_limit_config: { count: 20 + random.below(80), duration: 60 } })),
  ofSubscription((_, random) => ({ alert_config: { count: 2 + random.below(8), threshold: '1h' } })),
  // One event type instead of another: a widened filter is reported for some days.
  ofSubscription(({ filter_config: { event_types, filter } }, random) => ({
    filter_config: { filter, event_types: [event_types[0] ?? 'events.created', `events.v${random.below(1000)}`] },
  })),
]

/** One goes with its subscriptions, another comes with one. */
function replacePartner(fleet: SimulatedFleet, project: string, random: Random): number {
  const { endpoints, subscriptions } = fleet.open(project)
  const old = endpoints[random.below(endpoints.length)]
  if (old === undefined) return 1
  const { uid: _, created_at: __, secrets: ___, ...alike } = old
  deleteEndpoint(fleet, place(old))
  const endpoint = createEndpoint(fleet, project, { ...alike, status: 'active', name: `partner-${random.hex(6)}` })
  const uids = subscriptions.filter(({ endpoint_id }) => endpoint_id === old.uid).map(({ uid }) => uid)
  for (const _ of uids) {
    const uid = createSubscription(fleet, project, { endpoint })
    const filter = { is_flattened: true, headers: {}, body: {} }
    updateSubscription(fleet, { project, uid }, { filter_config: { event_types: ['partner.created'], filter } })
  }
  return 2 + 2 * uids.length
}
