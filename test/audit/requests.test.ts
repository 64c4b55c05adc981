import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { rotateSecret, updateSource } from '../../src/demo/edits.ts'
import { openCliFixture } from '../cli/cli-fixture.ts'
import { policyOf } from './audit-harness.ts'
import { at, openFleetFixture } from './fleet-fixture.ts'

it('an audit sends only GETs of the lists and of the project, also in case of faults', async () => {
  await using fixture = await openFleetFixture({
    fleet: { projects: 3, incomingEvery: 3, clean: false },
    harness: { pageSize: 5, limits: { retries: 1, pageTimeoutMs: 3_000 } },
  })
  const { service, fleet, uidOf, dataOf } = fixture
  await fixture.audit()
  rotateSecret(fleet, { project: uidOf('payments'), uid: at(dataOf('payments').endpoints, 0).uid })
  const { uid } = at(dataOf('partner-intake').sources, 0)
  updateSource(fleet, { project: uidOf('partner-intake'), uid }, { is_disabled: true })
  service.failNext({ how: 'status', status: 500, times: 2 })
  service.failNext({ how: 'hang', path: /subscriptions/ })
  service.failNext({ how: 'html', path: /sources/ })
  await fixture.audit({ listings: { sources: 'required' } })
  service.behaviour.offers = { ...service.behaviour.offers, sources: false, project: false }
  await fixture.audit({ keys: { orders: fleet.project(uidOf('payments'))?.key ?? '' } })
  fleet.replace(uidOf('orders'), { data: { endpoints: [], subscriptions: [], sources: [] } })
  await fixture.audit({ listings: { project: 'off', sources: 'off' } })
  service.behaviour.outage = 'database-down'
  await fixture.audit()

  const project = '/api/v1/projects/[0-9A-Z]{26}'
  const list = String.raw`/(endpoints|subscriptions|sources)\?perPage=5(&next_page_cursor=[0-9A-Z]{26})?`
  const allowed = new RegExp(`^GET ${project}(${list})?$`)
  const asked = service.requests.map(({ method, path }) => `${method} ${path}`)
  expect(asked.length).toBeGreaterThan(100)
  expect(asked.filter((line) => !allowed.test(line))).toEqual([])

  const uids = fleet.projects().map(({ uid }) => uid)
  expect(asked.filter((line) => !uids.some((uid) => line.includes(`/projects/${uid}`)))).toEqual([])
  // A body or its type on a GET is a 415 on the real service.
  expect(service.requests.filter(({ headers }) => 'content-type' in headers || 'content-length' in headers)).toEqual([])
})

it('an audit posts only the functions of configured probes, to the endpoint that tests them', async () => {
  await using fixture = await openFleetFixture({ fleet: { projects: 2, incomingEvery: 2, endpointsPerProject: 3 } })
  const { service, fleet, uidOf, dataOf } = fixture
  const { uid } = at(dataOf('partner-intake').sources, 0)
  const text = 'function transform(p) { return { event_type: "x", data: p } }'
  updateSource(fleet, { project: uidOf('partner-intake'), uid }, { body_function: text })
  const probe = `probes: [{ name: orders, match: { uid: ${uid} }, function: body, payload: p.json }]`
  await fixture.audit({ policy: policyOf(`extends: []\n${probe}`, { '/etc/p.json': '{}' }) })
  await fixture.audit({ policy: policyOf('extends: []') })

  const posts = service.requests.filter(({ method }) => method !== 'GET')
  const place = `/api/v1/projects/${uidOf('partner-intake')}/sources/test_function`
  expect(posts.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${place}`, `POST ${place}`])
  expect(posts.map(({ headers }) => headers['content-type'])).toEqual(['application/json', 'application/json'])
})

it('the page about supported services lists every request of an audit', async () => {
  await using cli = await openCliFixture()
  await cli.audit()
  const asked = cli.service.requests.map(({ method, path }) => {
    return `${method} ${path.replace(/\?.*/, '').replaceAll(/[0-9A-Z]{26}/g, '{id}')}`
  })
  const page = readFileSync(join(import.meta.dirname, '../../docs/reference/supported-services.md'), 'utf8')
  const listed = [...page.matchAll(/^\| `(GET [^?`]*)/gm)].map(([, request]) => request)
  expect([...new Set(asked)].filter((request) => !listed.includes(request))).toEqual([])
  expect(asked).toContain('GET /api/v1/projects')
})
