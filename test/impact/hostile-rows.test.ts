import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { setEndpointStatus } from '../../src/demo/edits.ts'
import { openTraffic, pageOf, planted, rowMaker, type TrafficRow } from './traffic-gateway.ts'

const traffic = await openTraffic({ clean: true })
const { cli, deliveries, events, asked, state } = traffic
const make = rowMaker(traffic)
const endpoint = cli.endpoint(1)
make.event({ ms: Date.now() - 3_600_000 })
await cli.audit('--quiet')
setEndpointStatus(cli.fleet, endpoint, 'paused')
await cli.audit('--quiet')
cli.configure((text) => text.replace('retries: 1, retry_budget: 2s', 'retries: 0, deliveries_per_question: 50'))
afterAll(() => traffic[Symbol.asyncDispose]())

beforeEach(() => {
  state.override = undefined
  deliveries.length = 0
  events.length = 1
})

/** Everything that hookdrift says, in every form. */
async function sayAll() {
  const said = await Promise.all(
    ['text', 'json', 'jsonl', 'csv'].map((format) => cli.run(['impact', endpoint.uid, '--format', format])),
  )
  return said.map(({ code, stdout, stderr }) => ({ code, text: stdout + stderr }))
}

/** What is in any file of the installation. */
function stored(): string {
  return readdirSync(cli.directory.path)
    .map((name) => readFileSync(join(cli.directory.path, name), 'latin1'))
    .join('\n')
}

const aFailure = (more: Record<string, unknown> = {}) =>
  make.delivery(endpoint.uid, make.event({ endpoints: [endpoint.uid] }), 'Discarded', more)

describe('what rows of deliveries and events hold', () => {
  it('is neither stored nor printed: headers with keys, payloads, and what the gateway notes of events', async () => {
    for (let n = 0; n < 5; n++) aFailure()
    const said = await sayAll()
    expect(said.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    for (const text of [...said.map((each) => each.text), stored()]) {
      for (const secret of Object.values(planted)) expect(text).not.toContain(secret)
    }
  })

  it('does not control a terminal, a shell or an address', async () => {
    const evil = '\u001b]0;x\u0007\u202e$(touch x)`id`\'"; rm -rf ~ #/../../../admin'
    aFailure({ subscription_id: evil, uid: `9${evil}`, headers: { [evil]: [evil] }, event_type: evil })
    make.delivery(endpoint.uid, `${evil}`, 'Failure')
    const said = await sayAll()
    for (const { text } of said) {
      expect(text).not.toContain('\u001b')
      expect(text).not.toContain('\u202e')
      expect(text).not.toContain('rm -rf')
    }
    expect(said[0]?.text).toContain('2 deliveries failed')
  })

  it('is read in pages of 10 MB', async () => {
    const large = 'x'.repeat(1024 * 1024)
    for (let n = 0; n < 10; n++) aFailure({ metadata: { raw: large, data: { large } } })
    const [said] = await sayAll()
    expect(said).toMatchObject({ code: 0, text: expect.stringContaining('10 deliveries failed') })
  })
})

/** A row of a list, with something else in it. */
const row = (more: object) => () => pageOf([{ ...aRow, ...more }], undefined)
const aRow: TrafficRow = {
  uid: '01D',
  project_id: endpoint.project,
  event_id: '01E',
  endpoint_id: endpoint.uid,
  subscription_id: 's',
  status: 'Failure',
  created_at: new Date().toISOString(),
}
let pages = 0

describe('nothing counts of a list', () => {
  it.each<[string, () => { readonly status: number; readonly body: string }, RegExp]>([
    ['with a row of another project', row({ project_id: '01OTHER' }), /another project, 01OTHER/],
    ['with a row without a project', row({ project_id: undefined }), /no usable project_id/],
    ['with a row of another endpoint', row({ endpoint_id: '01OTHER' }), /does not match the endpointId filter/],
    ['with a row of another time', row({ created_at: '2020-01-01T00:00:00Z' }), /does not match the startDate filter/],
    ['with a row of no time', row({ created_at: 'soon' }), /does not match the startDate filter/],
    ['with a row of no event', row({ event_id: '' }), /no usable event_id/],
    ['with a row whose event is a number', row({ event_id: 12 }), /a number as its event_id/],
    ['with a row without an id', row({ uid: '' }), /no usable uid/],
    ['with one row twice', () => pageOf([aRow, aRow], undefined), /listed before/],
    ['that promises a page after an empty one', () => pageOf([], 'next'), /on an empty page/],
    ['that never ends', () => pageOf([{ ...aRow, uid: `d${++pages}` }], `c${pages}`), /has no end|More than/],
    ['that goes in a circle', () => pageOf([{ ...aRow, uid: `d${++pages}` }], 'again'), /read before/],
    [
      'that takes too long',
      () => ({
        status: 504,
        body: JSON.stringify({ status: false, message: 'Event deliveries took too long. Narrow the date range.' }),
      }),
      /took too long\. Narrow the date range/,
    ],
    ['that is not offered', () => ({ status: 404, body: 'page not found' }), /404/],
    [
      'for a key that is refused',
      () => ({ status: 401, body: JSON.stringify({ status: false, message: 'authorization failed' }) }),
      /authorization failed/,
    ],
    ['that is not JSON', () => ({ status: 200, body: '<html>' }), /malformed JSON/],
  ])('%s', async (_, answer, said) => {
    state.override = (list) => (list === 'eventdeliveries' ? answer() : undefined)
    const { code, stdout } = await cli.run(['impact', endpoint.uid, '--format', 'json'])
    const { rows } = JSON.parse(stdout)
    expect(code).toBe(3)
    expect(rows[0].deliveries).toEqual({
      Scheduled: null,
      Processing: null,
      Discarded: null,
      Failure: null,
      Success: null,
      Retry: null,
    })
    expect(rows[0]).toMatchObject({ undelivered: null, retry: null, replay: null })
    expect(rows[0].reasons.join(' ')).toMatch(said)
  })

  it('that is empty, before the key was shown to read this project', async () => {
    events.length = 0
    cli.service.failNext({ how: 'status', status: 403, path: new RegExp(`/projects/${endpoint.project}$`), times: 9 })
    const { code, stdout } = await cli.run(['impact', endpoint.uid, '--format', 'json'])
    expect(code).toBe(3)
    const [{ reasons }] = JSON.parse(stdout).rows
    expect(reasons).toEqual([
      expect.stringMatching(/^Nothing was listed, and whether the key reads this project is not known/),
    ])
    cli.service.faults.length = 0
  })
})

describe('what cannot be asked', () => {
  it.each<[string, Record<string, string>, RegExp]>([['without a key', { ACME_KEY: '' }, /ACME_KEY/]])(
    '%s is said, with exit code 3',
    async (_, env, said) => {
      const { code, stdout } = await cli.run(['impact', endpoint.uid], { env })
      expect([code, stdout]).toEqual([3, expect.stringMatching(said)])
    },
  )

  it('is a usage error where the history has no such target', async () => {
    for (const [line, said] of [
      ['impact nothing-of-that-name', /has no resource "nothing-of-that-name"/],
      ['impact 99-0badcafe', /has no resource "99-0badcafe"/],
      [`impact ${endpoint.uid} --from tomorrow`, /not a run or a time/],
      [`impact ${endpoint.uid} --from 1h --to 2h`, /begins at/],
      [`impact ${endpoint.uid} --project other`, /has no resource/],
      [`impact ${cli.endpoint(2).uid}`, /knows no change of the endpoint/],
    ] as const) {
      expect(await cli.run(line)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) })
    }
  })
})

it('sends GET requests alone', () => {
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
})
