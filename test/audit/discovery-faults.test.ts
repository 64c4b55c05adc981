import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { InjectedFailure } from '../../src/demo/fault.ts'
import { openGate } from '../service/not-http.ts'
import { notHttp } from '../service/not-http-replies.ts'
import { everything, listPath, listRules, openDiscoveryFixture, scannedProjects } from './discovery-fixture.ts'
import type { FleetFixture } from './fleet-fixture.ts'

/** No fault of a list of projects makes a project vanish, be found unlisted, or be left out, or ends a violation. */

const status = (code: number, body?: unknown, headers?: Readonly<Record<string, string>>): InjectedFailure => ({
  how: 'status',
  status: code,
  ...(body === undefined ? {} : { body }),
  ...(headers === undefined ? {} : { headers }),
})
const said = (code: number, message: string) => status(code, { status: false, message })
const rewrite = (body: (text: string) => string): InjectedFailure => ({ how: 'rewrite', body })

type Listed = Record<string, unknown>
const data = (change: (items: Listed[]) => unknown): InjectedFailure =>
  rewrite((text) => {
    const envelope = JSON.parse(text)
    return JSON.stringify({ ...envelope, data: change(envelope.data) })
  })
const first = (change: (item: Listed) => unknown) => data(([item = {}, ...rest]) => [change(item), ...rest])

const faults: Readonly<Record<string, InjectedFailure>> = {
  'a wrong organisation': said(400, 'organisation not found'),
  'no permission': said(400, 'unauthorized to process request'),
  'an unknown project': said(400, 'project not found'),
  'a database that is down': said(401, 'authorization failed'),
  'no key': said(401, 'Authentication required'),
  'a payment': status(402),
  'no right': status(403),
  'an unknown path': status(404, '404 page not found\n', { 'content-type': 'text/plain' }),
  'another method': status(405, ''),
  'a slow request': status(408),
  'a conflict': status(409),
  gone: status(410),
  'a type that is refused': status(415, ''),
  'a limit': status(429, { status: false, message: 'exceeded rate limit' }, { 'retry-after': '1' }),
  'a panic': status(500, ''),
  'an error': status(500),
  'a bad gateway': status(502, '<html>bad gateway</html>', { 'content-type': 'text/html' }),
  'a service that is away': status(503),
  'a gateway that waited': status(504),
  'an answer that is not stored yet': status(202, { status: true, data: [] }),
  'another source': status(203, { status: true, data: [] }),
  'no content': status(204, ''),
  'a part': status(206, { status: true, data: [] }),
  'a redirect': status(302, '', { location: 'https://elsewhere.example.com/' }),
  'a login page': { how: 'html' },
  'an empty body': status(200, ''),
  'a reset': { how: 'reset' },
  'a cut body': { how: 'cut-body' },
  'JSON that breaks off': { how: 'bad-json' },
  'a text after the JSON': rewrite((text) => `${text.trimEnd()}]`),
  compressed: status(200, { status: true, data: [] }, { 'content-encoding': 'gzip' }),
  'another type': status(200, { status: true, data: [] }, { 'content-type': 'text/plain' }),
  'status false': rewrite((text) => text.replace('"status":true', '"status":false')),
  'a status that is a text': rewrite((text) => text.replace('"status":true', '"status":"true"')),
  'no data': status(200, { status: true, message: 'Projects fetched successfully' }),
  'data of null': data(() => null),
  'data of an object': data((items) => ({ content: items, pagination: { has_next_page: false } })),
  'data of a text': data(() => 'all'),
  'a list for the envelope': rewrite((text) => JSON.stringify(JSON.parse(text).data)),
  'data twice': rewrite((text) => text.replace('{"status"', '{"data":[],"status"')),
  'an empty list': data(() => []),
  'a list of null': data((items) => [...items, null]),
  'a list of texts': data((items) => items.map(({ uid }) => uid)),
  'a list in a list': data((items) => [items]),
  'a project without uid': first(({ uid: _, ...item }) => item),
  'a uid that is a number': first((item) => ({ ...item, uid: 7 })),
  'a uid of no characters': first((item) => ({ ...item, uid: '' })),
  'a uid with a path': first((item) => ({ ...item, uid: '../organisations' })),
  'a uid that matches all': first((item) => ({ ...item, uid: '*' })),
  'a project twice': data((items) => [...items, ...items]),
  'a project of another organisation': first((item) => ({ ...item, organisation_id: '01AAAAAAAAAAAAAAAAAAAAAAAA' })),
  'an organisation that is a number': first((item) => ({ ...item, organisation_id: 7 })),
  'another organisation': data((items) => items.map((item) => ({ ...item, organisation_id: 'other' }))),
  'only deleted projects': data((items) => items.map((item) => ({ ...item, deleted_at: '2026-11-21T00:00:00Z' }))),
  'an answer that is too large': rewrite(() => `{"status":true,"data":["${'a'.repeat(33 * 1024 * 1024)}"]}`),
  'a large list that breaks off': rewrite((text) => `${text.trimEnd().slice(0, -2)}${',{"uid":"x"}'.repeat(200_000)}`),
}

let fixture: FleetFixture
beforeAll(async () => {
  fixture = await openDiscoveryFixture()
  await fixture.audit({ list: everything(fixture), policy: listRules })
})
afterAll(() => fixture[Symbol.asyncDispose]())

describe('a list of projects with', () => {
  it.each(Object.entries(faults))('%s takes nothing away', async (_, fault) => {
    const { service } = fixture
    service.faults.splice(0, Number.POSITIVE_INFINITY, { ...fault, path: listPath, times: Number.POSITIVE_INFINITY })
    await holds(service.url)
  })

  it.each(Object.entries(notHttp))('%s takes nothing away', async (_, reply) => {
    fixture.service.faults.length = 0
    await holds(await openGate(fixture.service.url, (path) => (listPath.test(path) ? reply : undefined)))
  })

  async function holds(url: string): Promise<void> {
    const report = await fixture.audit({ list: everything(fixture), policy: listRules, url } as Parameters<
      typeof fixture.audit
    >[0])
    const [list, ...others] = report.coverage
    expect(list).toMatchObject({ project: 'acme/*', listing: 'projects', items: 0 })
    expect(['failed', 'suspect']).toContain(list?.status)
    expect(list?.reason).not.toBeNull()
    expect(others.filter(({ status }) => status !== 'complete')).toEqual([])
    expect(scannedProjects(report)).toEqual(['acme/*', 'acme/orders', 'acme/payments'])
    expect(
      report.violations.filter(({ state, rule }) => state === 'resolved' || rule !== 'endpoint/url-not-https'),
    ).toEqual([])
    expect([report.drift, report.verdict.exit_code]).toEqual([[], 3])
  }
})
