import type { Fault, InjectedFailure } from '../../src/demo/fault.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import type { Random } from '../../src/demo/random.ts'
import type { SimulatedService } from '../../src/demo/simulated-service.ts'

/** Lets something go wrong in the run to come, or leaves the service in good health. */
export function disturb(service: SimulatedService, random: Random): void {
  const { behaviour, faults, fleet } = service
  faults.length = 0
  behaviour.outage = random.chance(0.03) ? random.pick(['database-down', 'lists-unreadable']) : null
  behaviour.closedProjects = new Set(
    random.chance(0.04)
      ? fleet
          .projects()
          .slice(0, 1)
          .map(({ uid }) => uid)
      : [],
  )
  if (random.chance(0.1)) behaviour.release = random.pick(['older', 'seed', 'later'])
  if (random.chance(0.15)) behaviour.offers = { ...behaviour.offers, sources: !behaviour.offers.sources }
  if (random.chance(0.1)) behaviour.offers = { ...behaviour.offers, project: !behaviour.offers.project }
  if (random.chance(0.55)) for (let count = 1 + random.below(2); count > 0; count--) faults.push(faultOf(fleet, random))
}

/** What a service does not show of some items, or shows with a wrong type. */
export interface Unreadable {
  readonly listing: 'endpoints' | 'sources' | 'subscriptions'
  readonly member: string
}

/** Nothing else goes wrong in the run to come. */
export function withholdField({ faults, behaviour }: SimulatedService, random: Random): Unreadable {
  faults.length = 0
  behaviour.outage = null
  const [listing, member] = random.pick<Required>(required)
  const wrong = random.chance(0.5) ? 7 : undefined
  const share = random.pick([0.2, 0.5, 1])
  const rewrite = rewriting((items) =>
    items.map((item) => {
      if (!random.chance(share)) return item
      const { [member]: _, ...rest } = item
      return wrong === undefined ? rest : { ...rest, [member]: wrong }
    }),
  )
  faults.push({
    path: new RegExp(`/${listing}(?:\\?|$)`),
    times: Number.POSITIVE_INFINITY,
    how: 'rewrite',
    body: rewrite,
  })
  return { listing, member }
}

type Required = readonly [listing: Unreadable['listing'], member: string]

/** Every release shows them. */
const required = [
  ['endpoints', 'url'],
  ['endpoints', 'status'],
  ['endpoints', 'secrets'],
  ['endpoints', 'authentication'],
  ['sources', 'type'],
  ['sources', 'verifier'],
  ['subscriptions', 'endpoint_metadata'],
] as const

function faultOf(fleet: SimulatedFleet, random: Random): Fault {
  const projects = fleet.projects()
  const project = projects[random.below(projects.length)]?.uid ?? ''
  const other = projects.find(({ uid }) => uid !== project)?.uid ?? 'elsewhere'
  const listing = random.pick(['endpoints', 'endpoints', 'subscriptions', 'subscriptions', 'sources', 'sources', ''])
  const path = listing === '' ? new RegExp(`/projects/${project}$`) : new RegExp(`/projects/${project}/${listing}`)
  const times = random.pick([1, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY])
  const page = listing === '' ? {} : { page: random.pick([1, 2, 2, 2, 3]) }
  return { path, times, ...page, ...failureOf(other, random) }
}

function failureOf(otherProject: string, random: Random): InjectedFailure {
  const text = { 'content-type': 'text/plain; charset=utf-8' }
  const json = { 'content-type': 'application/json' }
  return random.pick<InjectedFailure>([
    { how: 'status', status: 500, body: '', headers: json },
    { how: 'status', status: 502, body: 'bad gateway', headers: text },
    { how: 'status', status: 404, body: '404 page not found\n', headers: text },
    { how: 'status', status: 401, body: { status: false, message: 'authorization failed' } },
    { how: 'status', status: 403, body: { status: false, message: 'forbidden' } },
    {
      how: 'status',
      status: 429,
      body: { status: false, message: 'exceeded rate limit' },
      headers: { 'retry-after': '2' },
    },
    { how: 'status', status: 400, body: { status: false, message: 'Failed to load endpoints' } },
    { how: 'status', status: 200, body: { status: false, message: 'something went wrong' } },
    { how: 'status', status: 200, body: '', headers: json },
    { how: 'reset' },
    { how: 'cut-body' },
    { how: 'html' },
    { how: 'bad-json' },
    { how: 'endless' },
    { how: 'wrong-shape' },
    {
      how: 'rewrite',
      body: rewriting((items) =>
        items.map((item, at) => (at === items.length - 1 ? { ...item, project_id: otherProject } : item)),
      ),
    },
    { how: 'rewrite', body: rewriting((items) => [...items, ...items.slice(0, 1)]) },
    { how: 'rewrite', body: rewriting((items) => items.slice(1)) },
    { how: 'rewrite', body: rewriting((items) => items.slice(1)) },
    { how: 'rewrite', body: endingEmpty },
    { how: 'rewrite', body: rewriting((items) => items.map(withDoubledSecret)) },
    { how: 'status', status: 206, body: { status: true, message: 'a part', data: {} } },
    {
      how: 'rewrite',
      body: rewriting((items) => items.map((item) => ({ ...item, region: 'eu', lanes: { a: 1, b: [] } }))),
    },
    { how: 'rewrite', body: rewriting((items) => items.map((item, at) => (at === 0 ? { ...item, uid: '' } : item))) },
    { how: 'rewrite', body: rewriting(() => []) },
    { how: 'rewrite', body: rewriting(() => null) },
  ])
}

/** A page that says of itself that it is the last one and holds nothing. */
function endingEmpty(text: string): string {
  const envelope: { data?: { pagination?: object } } = JSON.parse(text)
  if (envelope.data?.pagination === undefined) return text
  const pagination = { ...envelope.data.pagination, has_next_page: false, next_page_cursor: '' }
  return JSON.stringify({ ...envelope, data: { content: [], pagination } })
}

function withDoubledSecret(item: Item): Item {
  const { secrets } = item
  return Array.isArray(secrets) ? { ...item, secrets: [...secrets, ...secrets.slice(0, 1)] } : item
}

type Item = Readonly<Record<string, unknown>>

/** The items of a list, rewritten; what is not a list stays. */
function rewriting(rewrite: (items: readonly Item[]) => readonly Item[] | null): (text: string) => string {
  return (text) => {
    const envelope: { data?: { content?: readonly Item[] } } = JSON.parse(text)
    const content = envelope.data?.content
    return Array.isArray(content)
      ? JSON.stringify({ ...envelope, data: { ...envelope.data, content: rewrite(content) } })
      : text
  }
}
