import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { updateSubscription } from '../../src/demo/edits.ts'
import { createFilter, deleteFilter, updateFilter } from '../../src/demo/filter-request.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { type EventFilterRow, filterRowsOf, type ProjectData, type SubscriptionRow } from '../../src/demo/rows.ts'
import { type ServiceOptions, type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { type RecordedExchange, readExchanges } from '../service/replay-server.ts'
import { ask } from './ask.ts'
import { recordedFleet } from './recorded-fleet.ts'

const recorded = readExchanges(readFileSync(new URL('../service/recordings/filters.jsonl', import.meta.url), 'utf8'))

let service: SimulatedService
afterEach(() => service.close())

describe('filter rows, as recorded', () => {
  const all = recorded.filter(({ request }) => /\/subscriptions\b/.test(request.path))
  const billing = '01M86WH4TDQJ6HT7V3D264YQXW'
  const intake = '01M86WH4V0EMQFCS2BTBTM3HYX'

  beforeEach(async () => {
    // Without a licence, as the recorded service.
    service = await startSimulatedService(asCreated(), { hasLicence: false })
  })

  it('are the same after each write, and so is the list', async () => {
    const uids = new Map<string, string>()
    for (const { request, response, name } of all) {
      const { method, path, headers, body } = request
      const known = [...uids].reduce((text, [uid, own]) => text.replaceAll(uid, own), path)
      const answer = await fetch(`${service.url}${known}`, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (method === 'POST') uids.set(uidIn(response.body), uidIn(text))
      const seen = [...uids].reduce((all, [uid, own]) => all.replaceAll(own, uid), text)
      expect([name, answer.status, withoutTime(seen)]).toEqual([name, response.status, withoutTime(response.body)])
      expect(answer.headers.get('content-type')).toBe(response.headers['content-type'])
    }
  })

  it('are made of the declaration, with the same content', () => {
    const { subscriptions } = service.fleet.open(billing)
    for (const { filters = [], ...row } of subscriptions) {
      const uidless = (rows: readonly EventFilterRow[]) => rows.map(({ uid: _, ...others }) => others)
      expect(uidless(filterRowsOf(row))).toEqual(uidless(filters))
    }
  })

  /** The first list has the subscriptions of one project; of the other one, only its rows are recorded. */
  function asCreated() {
    const lists = all.filter(({ name }) => name === 'as created: subscriptions')
    const projects = recorded.filter(({ name }) => name === "project, a project's key, before")
    const fleet = recordedFleet([...lists, ...projects])
    const project = fleet.project(billing)
    if (project === undefined) throw new Error('the recording has no project')
    const { endpoints, sources, subscriptions } = fleet.open(billing)
    const rowsOf = (uid: string, created_at: string): EventFilterRow[] => {
      const first = all.find(({ request }) => request.path.endsWith(`/${uid}/filters`))
      return JSON.parse(first?.response.body ?? '').data.map((row: EventFilterRow) => {
        const { uid, event_type, headers, body } = row
        return { uid, event_type, headers, body, query: {}, path: {}, enabled_at: created_at }
      })
    }
    const withRows = (row: SubscriptionRow) => ({ ...row, filters: rowsOf(row.uid, row.created_at) })
    const data: ProjectData = {
      endpoints: endpointsOf(lists, endpoints),
      sources,
      subscriptions: subscriptions.map(withRows),
    }
    fleet.replace(billing, { data })
    const [first] = subscriptions
    if (first === undefined) throw new Error('the recording has no subscription')
    const incoming = withRows({ ...first, uid: '01M86WH4YGC6QG86PEG3MHPC8R', project_id: intake })
    fleet.add(
      { ...project, uid: intake, name: 'intake', type: 'incoming', key: '<project-key:intake>' },
      { endpoints: [], sources: [], subscriptions: [incoming] },
    )
    return fleet
  }
})

/** Endpoints are recorded only within the subscriptions. */
function endpointsOf(lists: readonly RecordedExchange[], rows: ProjectData['endpoints']): ProjectData['endpoints'] {
  const stubs = lists.flatMap(({ response }) => JSON.parse(response.body).data.content)
  return [...rows, ...stubs.map(({ endpoint_metadata }) => ({ ...endpoint_metadata, owner_id: '', cb_state: null }))]
}

function uidIn(text: string): string {
  return JSON.parse(text).data.uid
}

/** A write is dated; an answer that names no time is compared byte for byte. */
function withoutTime(text: string): string {
  return text.replace(/"updated_at":"[^"]*","deleted_at":null\}(?=,\{"uid|\]|\})/g, '"updated_at":"…"}')
}

describe('filter rows', () => {
  const start = async (options: ServiceOptions = {}) => {
    service = await startSimulatedService(generateFleet({ clean: true, projects: 1, incomingEvery: 0 }), options)
    const project = service.fleet.projects()[0]?.uid ?? ''
    const [row] = service.fleet.open(project).subscriptions
    if (row === undefined) throw new Error('the fleet has no subscription')
    return { place: { project, uid: row.uid }, row, path: `/subscriptions/${row.uid}/filters` }
  }
  const typesAt = async (path: string): Promise<string[]> =>
    (await ask(service, path)).json.data.map(({ event_type }: EventFilterRow) => event_type)
  const listed = () => ask(service, '/subscriptions?perPage=100')
  const headers = { 'content-type': 'application/json' }

  it('are no route of the older release', async () => {
    const { path } = await start({ release: 'older' })
    for (const rest of [path, `${path}/x`])
      expect(await ask(service, rest)).toMatchObject({ status: 404, text: '404 page not found\n' })
  })

  it('have a switch and more conditions in the later release', async () => {
    const { place, path, row } = await start({ release: 'later' })
    const [first] = filterRowsOf(row)
    updateFilter(service.fleet, place, first?.uid ?? '', { enabled_at: null, query: { a: { $eq: 'b' } } })
    const { json } = await ask(service, path)
    const { created_at: enabled_at, uid: subscription_id } = row
    const none = { headers: {}, body: {}, path: {}, raw_headers: null, raw_body: null, raw_query: null, raw_path: null }
    expect(json.data).toMatchObject([
      { subscription_id, enabled_at: null, query: { a: { $eq: 'b' } } },
      { subscription_id, enabled_at, query: {} },
    ])
    for (const each of json.data) expect(each).toMatchObject(none)
    const put = (body: object) =>
      ask(service, `${path}/${json.data[0].uid}`, { method: 'PUT', headers, body: JSON.stringify(body) })
    expect((await put({ body: { x: 1 } })).json.data).toMatchObject({
      enabled_at: null,
      body: { x: 1 },
      raw_body: { x: 1 },
    })
    const time = '2026-11-02T00:00:00Z'
    expect((await put({ enabled_at: time })).json.data).toMatchObject({ enabled_at: time, body: { x: 1 } })
    await put({ enabled_at: null })
    expect((await ask(service, path)).json.data[0].enabled_at).toBe(null)
  })

  it('change without a trace in the list', async () => {
    const { place, path, row } = await start()
    const before = (await listed()).text
    const created = createFilter(service.fleet, place, { event_type: 'other' })
    expect(await typesAt(path)).toEqual(['other', ...row.filter_config.event_types])
    updateFilter(service.fleet, place, created.uid, { body: { a: 1 } })
    deleteFilter(service.fleet, place, created.uid)
    for (const { uid } of filterRowsOf(row)) deleteFilter(service.fleet, place, uid)
    expect((await ask(service, path)).json.data).toEqual([])
    expect((await listed()).text).toBe(before)
  })

  it('of types that an update no longer names go, new ones come, and the others keep their conditions', async () => {
    const { place, path, row } = await start()
    const [kept = ''] = row.filter_config.event_types
    const { uid = '' } = filterRowsOf(row)[0] ?? {}
    updateFilter(service.fleet, place, uid, { body: { a: { $eq: 1 } } })
    createFilter(service.fleet, place, { event_type: 'beyond' })
    const filter = { is_flattened: true, headers: { 'x-region': 'eu' }, body: {} }
    updateSubscription(service.fleet, place, { filter_config: { event_types: [kept, 'new'], filter } })
    const rows: EventFilterRow[] = (await ask(service, path)).json.data
    expect(rows.map(({ event_type, headers, body }) => [event_type, headers, body])).toEqual([
      ['new', { 'x-region': 'eu' }, {}],
      [kept, {}, { a: { $eq: 1 } }],
    ])
    expect(rows[1]?.uid).toBe(uid)
  })

  it('that are missing come back with any update, and those beyond the list go', async () => {
    const { place, path, row } = await start()
    for (const { uid } of filterRowsOf(row)) deleteFilter(service.fleet, place, uid)
    createFilter(service.fleet, place, { event_type: 'beyond' })
    const body = JSON.stringify({ name: 'renamed', endpoint_id: row.endpoint_id })
    const put = await ask(service, `/subscriptions/${row.uid}`, { method: 'PUT', headers, body })
    expect(put.status).toBe(202)
    expect(put.json.data).toMatchObject({ uid: row.uid, name: 'renamed', updated_at: row.updated_at })
    expect(await typesAt(path)).toEqual(row.filter_config.event_types)
  })

  it('refuse what the service refuses', async () => {
    const { path, row } = await start()
    const send = (rest: string, method: string, body: object) =>
      ask(service, rest, { method, headers, body: JSON.stringify(body) })
    const [taken = '', other = ''] = row.filter_config.event_types
    const { uid } = (await ask(service, path)).json.data[0]
    expect((await send(path, 'POST', {})).status).toBe(400)
    expect((await send(path, 'POST', { event_type: taken })).json.message).toBe(
      'filter with this event type already exists',
    )
    expect((await send(`${path}/${uid}`, 'PUT', { event_type: other })).status).toBe(400)
    const unknown = { status: 404, json: { message: 'event type does not exist' } }
    expect(await send(path, 'POST', { event_type: 'never.named' })).toMatchObject(unknown)
    expect(await send(`${path}/${uid}`, 'PUT', { body: { x: 1 } })).toMatchObject(unknown)
    expect(await send(`${path}/01AAAAAAAAAAAAAAAAAAAAAAAA`, 'DELETE', {})).toMatchObject({
      status: 404,
      json: { message: 'filter not found' },
    })
    expect((await send(path, 'PUT', {})).status).toBe(405)
    service.behaviour.outage = 'lists-unreadable'
    expect((await ask(service, path)).status).toBe(400)
  })

  it('are answered at once, also for one subscription of many', async () => {
    const fleet = generateFleet({ clean: true, projects: 1, incomingEvery: 0, endpointsPerProject: 20_000 })
    service = await startSimulatedService(fleet)
    const { subscriptions } = fleet.open(fleet.projects()[0]?.uid ?? '')
    const chosen = subscriptions.filter((_, index) => index % 997 === 0)
    for (const { uid } of chosen) {
      const { json } = await ask(service, `/subscriptions/${uid}/filters`)
      expect(json.data).toHaveLength(2)
      expect(json.data[0].subscription_id).toBe(uid)
    }
    // None was put into memory.
    expect(subscriptions.some((row) => 'filters' in row)).toBe(false)
  })
})
