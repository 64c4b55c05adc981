import { describe, expect, it } from 'vitest'
import { afternoonOf } from '../../src/demo/colleague.ts'
import {
  changeEndpoint,
  createEndpoint,
  createSubscription,
  deleteEndpoint,
  deleteSource,
  deleteSubscription,
  replaceSecret,
  rotateSecret,
  setEndpointStatus,
  updateEndpoint,
  updateProject,
  updateSource,
  updateSubscription,
} from '../../src/demo/edits.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { renderEndpoint } from '../../src/demo/render.ts'

const fleetOf = () => {
  const fleet = generateFleet({ clean: true })
  const [outgoing, , incoming] = fleet.projects()
  if (outgoing === undefined || incoming === undefined) throw new Error('too few projects')
  const [endpoint] = fleet.open(outgoing.uid).endpoints
  const [source] = fleet.open(incoming.uid).sources
  if (endpoint === undefined || source === undefined) throw new Error('too few rows')
  const now = () => fleet.open(outgoing.uid).endpoints.find(({ uid }) => uid === endpoint.uid)
  return { fleet, outgoing, incoming, endpoint, source, place: { project: outgoing.uid, uid: endpoint.uid }, now }
}

describe('an edit', () => {
  it('clears what an update of an endpoint omits', () => {
    const { fleet, endpoint, place, now } = fleetOf()
    updateEndpoint(fleet, place, { name: 'renamed', url: endpoint.url })
    expect(now()).toEqual({
      ...endpoint,
      name: 'renamed',
      description: '',
      authentication: null,
      rate_limit: 0,
      rate_limit_duration: 0,
      updated_at: '2026-11-01T00:01:00.000143502Z',
    })
  })

  it('pauses without a trace in updated_at', () => {
    const { fleet, endpoint, place, now } = fleetOf()
    setEndpointStatus(fleet, place, 'paused')
    expect(now()).toEqual({ ...endpoint, status: 'paused' })
  })

  it('rotates a secret and lets the old one expire; a replaced secret shows as deleted to later releases only', () => {
    const { fleet, endpoint, place, now } = fleetOf()
    rotateSecret(fleet, place)
    expect(now()?.secrets).toMatchObject([
      { value: endpoint.secrets?.[0]?.value, expires_at: expect.any(String) },
      { expires_at: null },
    ])
    replaceSecret(fleet, place, 'letmein')
    const row = now() ?? endpoint
    expect(renderEndpoint(row, 'seed').secrets).toMatchObject([{ value: 'letmein' }])
    expect(renderEndpoint(row, 'later').secrets).toHaveLength(3)
  })

  it('deletes the subscriptions of a deleted endpoint or source', () => {
    const { fleet, outgoing, incoming, source, place } = fleetOf()
    deleteEndpoint(fleet, place)
    expect(fleet.open(outgoing.uid).endpoints).toHaveLength(23)
    expect(fleet.open(outgoing.uid).subscriptions).toHaveLength(23)
    deleteSource(fleet, { project: incoming.uid, uid: source.uid })
    expect(fleet.open(incoming.uid).sources).toHaveLength(7)
    expect(fleet.open(incoming.uid).subscriptions).toHaveLength(21)
  })

  it('puts new resources first', () => {
    const { fleet, outgoing } = fleetOf()
    const endpoint = createEndpoint(fleet, outgoing.uid, { name: 'new', url: 'http://new.example.com' })
    const subscription = createSubscription(fleet, outgoing.uid, { endpoint })
    const { endpoints, subscriptions } = fleet.open(outgoing.uid)
    expect(endpoints[0]).toMatchObject({ uid: endpoint, name: 'new', authentication: null, rate_limit: 0 })
    expect(subscriptions[0]).toMatchObject({
      uid: subscription,
      endpoint_id: endpoint,
      filter_config: { event_types: ['*'] },
    })
  })

  it('updates the date of a source or a project', () => {
    const { fleet, incoming, source } = fleetOf()
    updateSource(fleet, { project: incoming.uid, uid: source.uid }, { is_disabled: true })
    updateProject(fleet, incoming.uid, { disable_endpoint: false })
    expect(fleet.open(incoming.uid).sources[0]).toMatchObject({
      is_disabled: true,
      updated_at: '2026-11-01T00:01:00.000143502Z',
    })
    expect(fleet.project(incoming.uid)).toMatchObject({
      config: { disable_endpoint: false },
      updated_at: '2026-11-01T00:02:00.000143502Z',
    })
  })

  it('changes a subscription, and deletes it alone', () => {
    const { fleet, outgoing } = fleetOf()
    const [newest] = fleet.open(outgoing.uid).subscriptions
    const place = { project: outgoing.uid, uid: newest?.uid ?? '' }
    updateSubscription(fleet, place, { delivery_mode: 'at_most_once' })
    expect(fleet.open(outgoing.uid).subscriptions[0]).toEqual({
      ...newest,
      delivery_mode: 'at_most_once',
      updated_at: '2026-11-01T00:01:00.000143502Z',
    })
    deleteSubscription(fleet, place)
    expect(fleet.open(outgoing.uid).subscriptions).toHaveLength(23)
    expect(fleet.open(outgoing.uid).endpoints).toHaveLength(24)
  })

  it('may be any change of a row', () => {
    const { fleet, endpoint, place, now } = fleetOf()
    changeEndpoint(fleet, place, (row) => ({ ...row, failure_rate: 12.5 }))
    expect(now()).toEqual({ ...endpoint, failure_rate: 12.5 })
  })

  it('is refused for a missing resource', () => {
    const { fleet, place } = fleetOf()
    expect(() => setEndpointStatus(fleet, { ...place, uid: 'nothing' }, 'paused')).toThrow('has no nothing')
  })
})

describe('the afternoon of a colleague', () => {
  it('is six edits, each with a description, the same for the same fleet', () => {
    const describeAll = () =>
      afternoonOf(generateFleet()).map(({ project, description }) => `${project}: ${description}`)
    expect(describeAll()).toEqual(describeAll())
    expect(describeAll()).toHaveLength(6)
  })

  it('makes the edits that it describes', () => {
    const fleet = generateFleet()
    const [outgoing, , incoming] = fleet.projects()
    const open = () => [fleet.open(outgoing?.uid ?? ''), fleet.open(incoming?.uid ?? '')] as const
    const [before, sourcesBefore] = open()
    for (const edit of afternoonOf(fleet)) edit.apply()
    const [after, sourcesAfter] = open()
    const count = <Row>(rows: readonly Row[], other: readonly Row[]) =>
      rows.filter((row) => !other.includes(row)).length
    // Three changed, one deleted, one new.
    expect([count(before.endpoints, after.endpoints), count(after.endpoints, before.endpoints)]).toEqual([4, 4])
    expect(before.subscriptions.length - after.subscriptions.length).toBe(1)
    expect([count(sourcesAfter.sources, sourcesBefore.sources), sourcesAfter.sources.length]).toEqual([1, 8])
    expect(after.endpoints[0]).toMatchObject({ name: 'new-partner', url: expect.stringMatching(/^http:/) })
  })
})
