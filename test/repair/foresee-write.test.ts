import { describe, expect, it } from 'vitest'
import { diffAttributes } from '../../src/gateway/inventory/diff-attributes.ts'
import { createSealer } from '../../src/gateway/inventory/sealer.ts'
import { takeInventory } from '../../src/gateway/inventory/take-inventory.ts'
import { licensedFeatures } from '../../src/gateway/licence.ts'
import {
  type Forecast,
  foreseeWrite,
  type KnownResource,
  type WriteForecast,
} from '../../src/gateway/repair/foresee-write.ts'
import { readRequest } from '../../src/gateway/repair/read-request.ts'
import { readTarget } from '../../src/gateway/repair/read-target.ts'
import { isJsonObject, type Json, type JsonObject, withValueAt } from '../../src/model/json.ts'
import { type Kind, type Listing, type Resource, resourceKey } from '../../src/model/resource.ts'
import { recording } from '../demo/recordings.ts'
import type { RecordedExchange } from '../service/replay-server.ts'

/** Compares what is foreseen of every recorded write with the item after it, path by path. */

const sealer = createSealer(Buffer.alloc(32, 7))
const release = { from: 'v26.3.6', below: 'v26.3.7', contradictory: false } as const

/** What the recording showed of the fleet so far, by project. */
class World {
  readonly #known = new Map<string, Map<string, KnownResource>>()

  note(project: string, kind: Listing, item: JsonObject, filters?: readonly JsonObject[]): Resource | undefined {
    const rows = filters === undefined ? new Map() : new Map([[String(item.uid), filters]])
    const [resource] = takeInventory(kind, [item], sealer, rows).listed
    if (resource !== undefined) this.of(project).set(resourceKey(resource), { ...resource, sealKeyId: sealer.keyId })
    return resource
  }

  of(project: string): Map<string, KnownResource> {
    const known = this.#known.get(project) ?? new Map<string, KnownResource>()
    this.#known.set(project, known)
    return known
  }
}

interface Case {
  readonly name: string
  readonly write: RecordedExchange
  readonly forecast: Forecast
  readonly before: Resource | undefined
  readonly after: Resource | undefined
}

const listingOf: Readonly<Record<string, Listing>> = {
  endpoints: 'endpoints',
  subscriptions: 'subscriptions',
  sources: 'sources',
}

const bodyOf = ({ response }: RecordedExchange): JsonObject | undefined => {
  try {
    const value: Json = JSON.parse(response.body)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** The items of an answer. */
function itemsOf(exchange: RecordedExchange): readonly JsonObject[] {
  const data = bodyOf(exchange)?.data
  const list: Json =
    isJsonObject(data) && Array.isArray(data.content) ? data.content : Array.isArray(data) ? data : [data ?? null]
  return (list as readonly Json[]).filter(isJsonObject)
}

function casesOf(exchanges: readonly RecordedExchange[], lacks: readonly string[]): readonly Case[] {
  const world = new World()
  const cases = new Map<
    string,
    { before?: Resource; after?: Resource; write?: RecordedExchange; forecast?: Forecast }
  >()
  const byName = Map.groupBy(exchanges, ({ name }) => name.replace(/: (before|write|after)(, rows)?$/, ''))
  const projects = exchanges.find(({ name }) => name.startsWith('project, name only: before'))
  const settings = itemsOf(projects as RecordedExchange)[0] ?? {}
  for (const [name, group] of byName) {
    const step: { before?: Resource; after?: Resource; write?: RecordedExchange; forecast?: Forecast } = {}
    const rowsOf = (when: string) => {
      const found = group.find((one) => one.name === `${name}: ${when}, rows`)
      return found === undefined ? undefined : itemsOf(found)
    }
    // Of what subscriptions refer to, the recording shows stubs alone, and of some after the write.
    for (const exchange of group) {
      const [, project = ''] = /projects\/([^/?]+)/.exec(exchange.request.path) ?? []
      for (const { endpoint_metadata: endpoint, source_metadata: source } of itemsOf(exchange)) {
        if (isJsonObject(endpoint)) world.note(project, 'endpoints', endpoint)
        if (isJsonObject(source)) world.note(project, 'sources', source)
      }
    }
    for (const exchange of group) {
      const [, project = '', list] = /projects\/([^/?]+)(?:\/([a-z-]+))?/.exec(exchange.request.path) ?? []
      if (exchange.name.endsWith(', rows')) continue
      const when = exchange.name.endsWith('before') ? 'before' : 'after'
      if (exchange.request.method === 'GET') {
        if (exchange.response.status !== 200) continue
        const listing = list === undefined ? 'project' : listingOf[list]
        const [item] = itemsOf(exchange)
        if (listing === undefined || item === undefined) continue
        const resource = world.note(project, listing, item, listing === 'subscriptions' ? rowsOf(when) : undefined)
        if (resource !== undefined) step[when] = resource
        continue
      }
      const known = world.of(project)
      if (![...known.values()].some(({ kind }) => kind === 'project')) {
        // The recording shows the settings later: those that decide here were these.
        const isIncoming = project.endsWith('02W5')
        const config = { ...(settings.config as JsonObject), ssl: { enforce_secure_endpoints: false } }
        world.note(project, 'project', {
          ...settings,
          uid: project,
          type: isIncoming ? 'incoming' : 'outgoing',
          config,
        })
      }
      const { uid } = readTarget(
        readRequest(JSON.stringify({ method: exchange.request.method, url: exchange.request.path }), ''),
      )
      const isKnown = uid === null || [...known.values()].some((one) => one.uid === uid)
      // Of what the history does not have, no preview is asked; and of which key a request has, none knows.
      if (!isKnown || /\bkey\b/.test(name)) {
        continue
      }
      step.write = exchange
      step.forecast = forecastOf(exchange, [...known.values()], lacks)
      if (exchange.request.method === 'DELETE') for (const key of step.forecast.changes.keys()) known.delete(key)
    }
    cases.set(name, step)
  }
  return [...cases].flatMap(([name, { before, after, write, forecast }]) =>
    write === undefined || forecast === undefined ? [] : [{ name, before, after, write, forecast }],
  )
}

function forecastOf(
  { request }: RecordedExchange,
  known: readonly KnownResource[],
  lacks: readonly string[],
): Forecast {
  const body = (request as { body?: Json }).body
  const read = readRequest(
    JSON.stringify({ method: request.method, url: request.path, ...(body !== undefined && { body }) }),
    'x',
  )
  const target = readTarget(read)
  if (target.kind === 'filter') throw new Error('no row of filters is recorded here')
  const write: WriteForecast = {
    kind: target.kind,
    uid: target.uid,
    action: request.method === 'DELETE' ? 'delete' : target.action,
    isDashboard: target.isDashboard,
    body: isJsonObject(body) ? body : {},
    variables: [],
    known,
    areAllKnown: true,
    release,
    lacks,
    sealer,
  }
  return foreseeWrite(write)
}

const exchanges = recording('writes')
const casesAt = (lacks: readonly string[]) => casesOf(exchanges, lacks).map((one) => [one.name, one] as const)

describe('of every recorded write, at an instance of which the licence is not known', () => {
  it.each(casesAt([]))('%s', (_, one) => compare(one))

  it('says which fields only the licence decides', () => {
    const unknown = casesAt([]).flatMap(([, { forecast }]) =>
      forecast.unknown.flatMap(({ path, reason }) => (reason.includes('licence') ? path : [])),
    )
    expect([...new Set(unknown)].sort()).toEqual([
      '/authentication',
      '/filter_config/event_types',
      '/filter_config/filter/body/a',
      '/filter_config/filter/body/weight',
      '/filter_config/filter/body/weight/$gt',
      '/filter_config/filter/is_flattened',
      '/filters/crate.lost',
      '/filters/crate.out',
      '/function',
      '/http_timeout',
      '/slack_webhook_url',
      '/support_email',
    ])
  })
})

describe('of every recorded write, at an instance that is known to have no licence', () => {
  it.each(casesAt(Object.keys(licensedFeatures)))('%s', (_, one) => {
    compare(one)
    const made = /^(the service|the newest secret)/
    expect(one.forecast.unknown.filter(({ reason }) => !made.test(reason) && !reason.includes('answers 400'))).toEqual(
      [],
    )
  })
})

function compare({ write, forecast, before, after }: Case): void {
  const { status } = write.response
  // The instance had no licence.
  if (forecast.unknown.some(({ reason }) => reason.includes('answers 400'))) {
    expect(status).toBe(400)
    return
  }
  const differs = after === undefined ? undefined : differencesOf(forecast, before, after)
  expect({ refused: forecast.refused?.status ?? null, differs }).toEqual({
    refused: status >= 400 ? status : null,
    differs: after === undefined ? undefined : [],
  })
}

describe('an update of a project that leaves settings out', () => {
  const config = { strategy: { type: 'linear', duration: 9, retry_count: 2 }, signature: { header: 'X', versions: [] } }
  const forecastAt = (release: WriteForecast['release'], body: JsonObject) => {
    const world = new World()
    const [settings = {}] = itemsOf(
      exchanges.find(({ name }) => name === 'project, name only: before') as RecordedExchange,
    )
    world.note('p', 'project', settings)
    const known = [...world.of('p').values()]
    const [project] = known
    const common = { kind: 'project', uid: project?.uid ?? '', action: null, isDashboard: false } as const
    return foreseeWrite({ ...common, body, variables: [], known, areAllKnown: true, release, lacks: [], sealer })
  }
  const pathsBy = ({ rows }: Forecast, by: string) => rows.flatMap((row) => (row.by === by ? row.path : []))
  const later = { from: 'v26.6.6', below: null, contradictory: false } as const

  it('resets them up to v26.6.5, and keeps them from v26.6.6 on', () => {
    expect(pathsBy(forecastAt(release, { name: 'depot', config }), 'omission')).toContain(
      '/config/ssl/enforce_secure_endpoints',
    )
    expect(pathsBy(forecastAt(later, { name: 'depot', config }), 'omission')).toEqual([])
  })

  it('is unknown where the release is', () => {
    const { unknown, rows } = forecastAt(undefined, { name: 'depot', config })
    expect(unknown.map(({ path }) => path)).toContain('/config/ssl/enforce_secure_endpoints')
    expect(rows.map(({ path }) => path)).not.toContain('/config/ssl/enforce_secure_endpoints')
  })

  it('may be refused where the release is unknown and an earlier one refuses it', () => {
    const { refused, unknown } = forecastAt(undefined, { name: 'depot', config: { search_policy: '' } })
    expect(refused).toBeUndefined()
    expect(unknown.find(({ path }) => path === '')?.reason).toContain('it may answer 500')
  })

  it('takes the names of members in any case, as the decoder of the service does', () => {
    expect(pathsBy(forecastAt(later, { NAME: 'other' }), 'request')).toEqual(['/name'])
  })
})

/** How the item after the write differs from what was foreseen, but for what is unknown and what the service alone sets. */
function differencesOf(forecast: Forecast, before: Resource | undefined, after: Resource): readonly string[] {
  const found = [...forecast.changes.values()].find((one) => one?.kind === after.kind)
  const foreseen = found?.attributes ?? before?.attributes ?? {}
  const own =
    before === undefined ? ['uid', 'created_at', 'deleted_at', 'project_id', 'mask_id', 'url', 'provider_config'] : []
  const without = (attributes: JsonObject) => {
    const known = forecast.unknown.reduce((rest, { path }) => withValueAt(rest, path, undefined), attributes)
    return own
      .filter((name) => name !== 'url' || after.kind === 'source')
      .reduce((rest, name) => withValueAt(rest, `/${name}`, undefined), known)
  }
  return diffAttributes(after.kind as Kind, without(foreseen), without(after.attributes), {
    sealsComparable: true,
  }).map(({ path, before: said, after: is }) => `${path}: ${JSON.stringify(said)} and not ${JSON.stringify(is)}`)
}
