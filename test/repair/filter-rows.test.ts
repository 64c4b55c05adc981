import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { curlLines } from '../../src/gateway/repair/curl.ts'
import { quote } from '../../src/model/text/neutralise.ts'
import type { RestoreRow } from '../../src/questions/restore-row.ts'
import { restoreView } from '../../src/questions/show-restore.ts'
import {
  add,
  change,
  conditions,
  declare,
  type Place,
  placeInFleet,
  reference,
  remove,
  rowsAt,
  sendInOrder,
  shortForm,
} from './filter-row-edits.ts'
import { type Observed, observe, restoreSubscription } from './observe-subscription.ts'
import type { PrintedRow } from './send-rows.ts'

let service: SimulatedService
afterEach(() => service.close())

async function start(release: 'seed' | 'later', filter?: Parameters<typeof placeInFleet>[0]): Promise<Place> {
  const place = placeInFleet(filter)
  service = await startSimulatedService(place.fleet, { release })
  return place
}

function printed(rows: readonly RestoreRow[]): PrintedRow[] {
  // as: `shape` is the form of the JSON answer.
  return rows.map((row) => restoreView.shape?.(row) as unknown as PrintedRow)
}

const send = (rows: readonly RestoreRow[]) =>
  sendInOrder(printed(rows), new Map([['ACME_KEY', service.fleet.personalKey]]))

const requestsOf = (rows: readonly RestoreRow[]) => printed(rows).map(shortForm)

/** Edits, restores, and compares. Returns what was printed: `POST`, `PUT row`. */
async function putBack(place: Place, edit: () => void) {
  const before = await present(place.uid)
  edit()
  const now = await observe(service, place.uid)
  const { rows, left, notes } = restoreSubscription(service, place.uid, before.attributes, now?.attributes)
  const made = await send(rows)
  const after = await present(made ?? place.uid)
  expect(after.rows).toEqual(before.rows)
  expect(after.listed).toEqual(before.listed)
  const again = restoreSubscription(service, place.uid, before.attributes, after.attributes)
  expect(again.rows).toEqual([])
  return { left, notes, rows, requests: requestsOf(rows) }
}

async function present(uid: string): Promise<Observed> {
  const seen = await observe(service, uid)
  if (seen === undefined) throw new Error(`there is no subscription ${uid}`)
  return seen
}

describe('the switch of a filter row', () => {
  it('that was off and on again needs no request', async () => {
    const place = await start('later')
    const before = await present(place.uid)
    change(place, 'a.created', { enabled_at: '2026-11-03T00:00:00Z' })
    const now = await present(place.uid)
    const { rows, left } = restoreSubscription(service, place.uid, before.attributes, now.attributes)
    expect(rows).toEqual([])
    expect(left).toEqual([
      { path: '/filters/a.created/enabled_at', reason: 'The row is switched on, as it was: only since when differs.' },
    ])
  })

  it('comes with conditions on the query and the path', async () => {
    const place = await start('later')
    change(place, 'a.created', { query: { shop: { $eq: 'eu' } }, path: { '0': 'in' } })
    const { rows } = await putBack(place, () => change(place, 'a.created', { query: {}, path: {} }))
    expect(printed(rows)[1]?.body).toMatchObject({ query: { shop: { $eq: 'eu' } }, path: { '0': 'in' } })
  })
})

describe('a fix of one value', () => {
  it('puts back the rows that its update deletes', async () => {
    const place = await start('seed')
    add(place, 'beyond', conditions)
    const { attributes, rows: wanted } = await present(place.uid)
    const target = { ...attributes, delivery_mode: 'at_most_once' }
    const { rows, left } = restoreSubscription(service, place.uid, target, attributes, ['/delivery_mode'])
    expect(requestsOf(rows)).toEqual(['PUT', 'POST /filters'])
    expect(left).toEqual([])
    await send(rows)
    const after = await present(place.uid)
    expect(after.rows).toEqual(wanted)
    expect(after.listed.delivery_mode).toBe('at_most_once')
  })
})

describe('what is not known of filter rows', () => {
  it('is said where they were not read, and no request is printed for them', async () => {
    const place = await start('seed')
    const { attributes } = await present(place.uid)
    const { filters: _, ...unread } = attributes
    const renamed = { ...attributes, name: 'renamed' }
    for (const [target, now] of [
      [unread, renamed],
      [attributes, { ...unread, name: 'renamed' }],
      [unread, { ...unread, name: 'renamed' }],
    ] as const) {
      const { rows, left, notes } = restoreSubscription(service, place.uid, target, now)
      expect(requestsOf(rows)).toEqual(['PUT'])
      expect(left.filter(({ path }) => path.startsWith('/filters'))).toEqual([])
      expect(notes).toEqual([expect.stringMatching(/^Filter rows were not read in both states/)])
    }
    const gone = restoreSubscription(service, place.uid, unread, undefined)
    expect(requestsOf(gone.rows)).toEqual(['POST'])
    expect(gone.notes).toEqual([
      expect.stringMatching(/creates it for every event type/),
      expect.stringMatching(/^Filter rows were never read/),
    ])
    expect(restoreSubscription(service, place.uid, attributes, renamed).notes).toEqual([])
  })

  it('is whether the service has the licence that an update of a filter needs', async () => {
    const place = await start('seed')
    const before = await present(place.uid)
    declare(place, ['*'])
    const now = await present(place.uid)
    expect(restoreSubscription(service, place.uid, before.attributes, now.attributes).notes).toEqual([
      expect.stringContaining('Without a licence'),
    ])
  })

  it('is left to a person: a row without an event type, and which row has a sealed one', async () => {
    const place = await start('seed')
    const { attributes } = await present(place.uid)
    const sealed = `sealed:${'0'.repeat(32)}`
    const none = { body: {}, headers: {} }
    const some = { body: { a: 1 }, headers: {} }
    const target = { ...attributes, filters: { '#0': none, [sealed]: none, [`${sealed}.b`]: none } }
    const now = { ...attributes, filters: { [sealed]: some, [`${sealed}.c`]: none } }
    const { rows, left } = restoreSubscription(service, place.uid, target, now)
    expect(left.map(({ path, reason }) => [path, reason.split(':')[0]])).toEqual([
      ['/filters/#0', 'The service showed no event type of this row'],
      ['/filters/…', expect.stringContaining('sealed')],
      ['/filters/….c', expect.stringContaining('sealed')],
    ])
    expect(printed(rows).map(({ body }) => body)).toMatchObject([
      { event_type: expect.stringMatching(/^\$\{SUBSCRIPTION_EVENT_TYPE_SECRET\}\.b$/) },
    ])
    expect(JSON.stringify(printed(rows))).not.toContain('sealed:')
  })
})

describe('a printed command about a row', () => {
  const run = promisify(execFile)
  const hostile = [
    ...[
      "it's $(touch /tmp/x) `id`",
      reference('ACME_KEY'),
      reference('FILTER_ID'),
      '\u001b[31m\u202e"\\',
      'a/../b?c#d',
      '%2e%2e',
      '..',
    ],
    ...['number:1e400', '__proto__', 'x'.repeat(200), '#0x', '*', 'é', '日本'],
  ]

  it.each(hostile)('puts back rows of the event type %j in a shell', async (type) => {
    const place = await start('later')
    add(place, type, conditions)
    const before = await present(place.uid)
    for (const edit of [
      () => change(place, type, { body: { a: `$(id) ${type}` }, headers: {} }),
      () => remove(place, type),
      () => change(place, type, { event_type: 'other' }),
    ]) {
      edit()
      const now = await present(place.uid)
      const { rows } = restoreSubscription(service, place.uid, before.attributes, now.attributes)
      const env: Record<string, string> = { PATH: process.env.PATH ?? '', ACME_KEY: service.fleet.personalKey }
      for (const [index, row] of rows.entries()) {
        const text = curlLines(row).join('\n')
        expect(text).not.toMatch(/[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]/u)
        for (const each of row.placeholders) {
          const isUid = each.name.startsWith('FILTER_ID') && each.in === 'url'
          if (isUid) env[each.name] = rowsAt(place).find((row) => each.hint.includes(quote(row.event_type)))?.uid ?? ''
          // No text of the service spells it.
          if (isUid) expect(type).not.toContain(`\${${each.name}}`)
        }
        await run('sh', ['-u', '-c', text], { env, timeout: 20_000 })
        expect(restoreView.shape?.(row)).toHaveProperty('purpose', expect.not.stringMatching(/\p{Cc}/u))
        expect(index).toBeLessThan(3)
      }
      expect((await present(place.uid)).rows).toEqual(before.rows)
    }
  })
})
