import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { deleteSubscription, updateSubscription } from '../../src/demo/edits.ts'
import { createFilter, deleteFilter, updateFilter } from '../../src/demo/filter-edits.ts'
import { filterRowsOf } from '../../src/demo/filter-rows.ts'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EventFilterRow, SubscriptionRow } from '../../src/demo/rows.ts'
import { type SimulatedService, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { RestoreRow } from '../../src/queries/restore-row.ts'
import { restoreView } from '../../src/queries/restore-view.ts'
import { curlLines } from '../../src/repair/curl.ts'
import { quote } from '../../src/text/neutralise.ts'
import { type Observed, observe, restoreSubscription } from './observe-subscription.ts'
import { type PrintedRow, sendRows, valuesFrom } from './send-rows.ts'

let service: SimulatedService
afterEach(() => service.close())

type Release = 'seed' | 'later'

interface Place {
  readonly project: string
  readonly uid: string
}

async function start(release: Release, filter: Partial<SubscriptionRow['filter_config']['filter']> = {}) {
  const sizes = { endpointsPerProject: 2, subscriptionsPerProject: 2 }
  service = await startSimulatedService(generateFleet({ clean: true, projects: 1, incomingEvery: 0, ...sizes }), {
    release,
  })
  const project = service.fleet.projects()[0]?.uid ?? ''
  const [row] = service.fleet.open(project).subscriptions
  if (row === undefined) throw new Error('the fleet has no subscription')
  const place: Place = { project, uid: row.uid }
  declare(place, ['a.created', 'a.updated', '*'], filter)
  for (const { uid, event_type } of rowsAt(place)) if (event_type === '*') deleteFilter(service.fleet, place, uid)
  declare(place, ['a.created', 'a.updated'], filter)
  return place
}

function declare(
  place: Place,
  types: readonly string[],
  filter: Partial<SubscriptionRow['filter_config']['filter']> = {},
) {
  const whole = { is_flattened: true, headers: {}, body: {}, ...filter }
  updateSubscription(service.fleet, place, { filter_config: { event_types: types, filter: whole } })
}

function rowsAt({ project, uid }: Place): readonly EventFilterRow[] {
  const row = service.fleet.open(project).subscriptions.find((each) => each.uid === uid)
  return row === undefined ? [] : filterRowsOf(row)
}

function rowOf(place: Place, type: string): EventFilterRow {
  const row = rowsAt(place).find(({ event_type }) => event_type === type)
  if (row === undefined) throw new Error(`there is no row for ${type}`)
  return row
}

const change = (place: Place, type: string, update: Partial<EventFilterRow>) =>
  updateFilter(service.fleet, place, rowOf(place, type).uid, update)
const add = (place: Place, type: string, given: Partial<EventFilterRow> = {}) =>
  void createFilter(service.fleet, place, { event_type: type, ...given })
const remove = (place: Place, type: string) => deleteFilter(service.fleet, place, rowOf(place, type).uid)

function printed(rows: readonly RestoreRow[]): PrintedRow[] {
  // as: `shape` is the form of the JSON answer.
  return rows.map((row) => restoreView.shape?.(row) as unknown as PrintedRow)
}

/** Sends requests in their order; the uids of rows are taken from the answer that lists them, as a person does. */
async function send(rows: readonly RestoreRow[], secrets: readonly JsonObject[] = []): Promise<string | undefined> {
  const values = new Map([['ACME_KEY', service.fleet.personalKey]])
  let made: string | undefined
  let listed: readonly EventFilterRow[] = []
  for (const [index, row] of printed(rows).entries()) {
    for (const { name, hint } of row.placeholders) {
      const [, type] = /^the uid of the row whose event_type is (".*"), from/s.exec(hint) ?? []
      const found = listed.filter(({ event_type }) => quote(event_type) === type)
      if (type !== undefined) expect(found).toHaveLength(1)
      if (found[0] !== undefined) values.set(name, found[0].uid)
    }
    for (const [name, value] of valuesFrom([row], secrets[index] ?? {})) values.set(name, value)
    const [answer] = await sendRows([row], values)
    expect([row.purpose, answer?.status]).toEqual([row.purpose, expectedStatus(row)])
    // as: a list of rows is in place of the object.
    if (row.method === 'GET') listed = answer?.data as unknown as EventFilterRow[]
    if (row.purpose.startsWith('create ')) {
      made = String(answer?.data?.uid)
      values.set('NEW_SUBSCRIPTION_ID', made)
    }
  }
  return made
}

function expectedStatus({ method, url }: PrintedRow): number {
  if (method === 'POST') return 201
  return method === 'PUT' && !url.includes('/filters/') ? 202 : 200
}

/** Edits, restores, and compares. Returns what was printed: `POST`, `PUT row`. */
async function putBack(place: Place, edit: () => void, secrets: readonly JsonObject[] = []) {
  const before = await present(place.uid)
  edit()
  const now = await observe(service, place.uid)
  const { rows, left, notes } = restoreSubscription(service, place.uid, before.attributes, now?.attributes)
  const made = await send(rows, secrets)
  const after = await present(made ?? place.uid)
  expect(after.rows).toEqual(before.rows)
  expect(after.listed).toEqual(before.listed)
  const again = restoreSubscription(service, place.uid, before.attributes, after.attributes)
  expect(again.rows).toEqual([])
  return { left, notes, rows, requests: rows.map(shortForm) }
}

async function present(uid: string): Promise<Observed> {
  const seen = await observe(service, uid)
  if (seen === undefined) throw new Error(`there is no subscription ${uid}`)
  return seen
}

function shortForm(row: RestoreRow): string {
  const [request] = printed([row])
  const [, below = ''] = /\/subscriptions(.*)$/.exec(request?.url ?? '') ?? []
  return `${row.method} ${below.replace(/^\/[^/]+/, '')}`.trim()
}

const conditions = { body: { amount: { $gt: 10 } }, headers: { 'x-region': { $eq: 'eu' } } }
const reference = (name: string) => `\${${name}}`
const list = 'GET /filters'
const rowFor = (name: string) => `/filters/${reference(`FILTER_ID${name}`)}`

describe.each(['seed', 'later'] as const)('filter rows at a service of the %s release', (release) => {
  it.each<[string, readonly string[], (place: Place) => void, (place: Place) => void]>([
    ['removed', ['POST /filters'], () => {}, (place) => remove(place, 'a.created')],
    [
      'all removed',
      ['POST /filters', 'POST /filters'],
      () => {},
      (place) => rowsAt(place).map(({ event_type }) => remove(place, event_type)),
    ],
    [
      'with conditions removed',
      ['POST /filters'],
      (place) => change(place, 'a.updated', conditions),
      (place) => remove(place, 'a.updated'),
    ],
    ['added beyond the list', ['PUT'], () => {}, (place) => add(place, 'beyond', conditions)],
    [
      'added beyond the list, one of the list removed',
      ['PUT'],
      () => {},
      (place) => {
        add(place, '*')
        remove(place, 'a.created')
      },
    ],
    [
      'added to a list that has none',
      [list, `DELETE ${rowFor('_A_CREATED')}`],
      (place) => remove(place, 'a.created'),
      (place) => add(place, 'a.created'),
    ],
    [
      'widened',
      [list, `PUT ${rowFor('_A_CREATED')}`],
      (place) => change(place, 'a.created', conditions),
      (place) => change(place, 'a.created', { body: {}, headers: {} }),
    ],
    ['narrowed', [list, `PUT ${rowFor('_A_CREATED')}`], () => {}, (place) => change(place, 'a.created', conditions)],
    ['for another type', ['PUT'], () => {}, (place) => change(place, 'a.created', { event_type: 'b' })],
    [
      'beyond the list, swapped',
      ['PUT', 'POST /filters'],
      (place) => add(place, 'one', conditions),
      (place) => {
        remove(place, 'one')
        add(place, 'two')
      },
    ],
    [
      'beyond the list, lost with an update',
      ['PUT', 'POST /filters'],
      (place) => add(place, 'beyond', conditions),
      (place) => updateSubscription(service.fleet, place, { name: 'renamed', filter_config: { ...declared(place) } }),
    ],
    [
      'after an update with another filter',
      ['PUT'],
      () => {},
      (place) => declare(place, ['a.created', 'a.updated'], { body: { a: 1 } }),
    ],
    ['after an update with other types', ['PUT'], () => {}, (place) => declare(place, ['*'])],
    [
      'with conditions, after an update with other types',
      ['PUT', list, `PUT ${rowFor('_A_CREATED')}`],
      (place) => change(place, 'a.created', conditions),
      (place) => declare(place, ['*']),
    ],
    ['dropped by an update', ['PUT'], () => {}, (place) => declare(place, ['a.updated'])],
    [
      'of which the list has more than there are',
      ['PUT', list, `DELETE ${rowFor('_A_CREATED')}`],
      (place) => remove(place, 'a.created'),
      (place) => updateSubscription(service.fleet, place, { name: 'renamed', filter_config: { ...declared(place) } }),
    ],
    [
      'and the list, both changed',
      ['PUT', 'POST /filters', list, `PUT ${rowFor('_A_UPDATED')}`],
      (place) => add(place, 'beyond'),
      (place) => {
        declare(place, ['a.updated', 'c'])
        change(place, 'a.updated', conditions)
      },
    ],
  ])('%s are put back: %j', async (_, requests, prepare, edit) => {
    const place = await start(release)
    prepare(place)
    const answer = await putBack(place, () => edit(place))
    expect(answer.requests).toEqual(requests)
    expect(answer.left).toEqual([])
  })

  it('are put back when the subscription is created anew', async () => {
    const place = await start(release, { body: { a: 1 } })
    change(place, 'a.created', conditions)
    remove(place, 'a.updated')
    add(place, 'beyond', conditions)
    const { requests, left } = await putBack(place, () => deleteSubscription(service.fleet, place))
    expect(requests).toEqual([
      ...['POST', 'POST /filters', list],
      ...[`PUT ${rowFor('_A_CREATED')}`, `DELETE ${rowFor('_A_UPDATED')}`],
    ])
    expect(left).toEqual([])
    await service.close()
    const other = await start(release, { body: { a: 1 } })
    expect((await putBack(other, () => deleteSubscription(service.fleet, other))).requests).toEqual(['POST'])
  })

  it('have secrets that a person fills in', async () => {
    const place = await start(release)
    const headers = { 'x-api-key': { $eq: 'not-a-real-key-8f41c09be2d7a365' } }
    change(place, 'a.created', { headers })
    const { rows } = await putBack(place, () => remove(place, 'a.created'), [{ event_type: 'a.created', headers }])
    expect(JSON.stringify(printed(rows))).not.toMatch(/not-a-real|sealed:/)
    expect(printed(rows)[0]?.placeholders).toMatchObject([
      { name: 'ACME_KEY' },
      { in: 'body', path: '/headers/x-api-key/$eq', hint: expect.stringContaining('former secret') },
    ])
  })

  it('are put back after any edits', async () => {
    const types = ['a.created', 'a.updated', '*', 'b', reference('FILTER_ID_B'), '__proto__', "o'clock", 'B']
    const type = fc.constantFrom(...types)
    const condition = fc.constantFrom<Partial<EventFilterRow>>({ body: {}, headers: {} }, conditions, {
      body: { a: 1 },
    })
    const edit = fc.oneof(
      fc.tuple(fc.constant('add' as const), type, condition),
      fc.tuple(fc.constant('remove' as const), type, condition),
      fc.tuple(fc.constant('change' as const), type, condition),
      fc.tuple(fc.constant('off' as const), type, condition),
      fc.tuple(fc.constant('declare' as const), fc.uniqueArray(type, { minLength: 1, maxLength: 3 }), condition),
      fc.tuple(fc.constant('rename' as const), type, condition),
    )
    const edits = fc.array(edit, { minLength: 1, maxLength: 5 })
    const apply = (place: Place, [what, subject, given]: typeof edit extends fc.Arbitrary<infer T> ? T : never) => {
      if (what === 'declare') return declare(place, subject, given)
      if (what === 'rename') return updateSubscription(service.fleet, place, { name: subject })
      const has = rowsAt(place).some(({ event_type }) => event_type === subject)
      if (what === 'add' && !has) add(place, subject, given)
      if (what === 'remove' && has) remove(place, subject)
      if (what === 'change' && has) change(place, subject, given)
      if (what === 'off' && has && release === 'later') change(place, subject, { enabled_at: null })
    }
    await fc.assert(
      fc.asyncProperty(edits, edits, async (first, second) => {
        await service?.close()
        const place = await start(release)
        for (const one of first) apply(place, one)
        await putBack(place, () => second.forEach((one) => void apply(place, one)))
      }),
      { numRuns: 60 },
    )
  })
})

function declared({ project, uid }: Place): SubscriptionRow['filter_config'] {
  const row = service.fleet.open(project).subscriptions.find((each) => each.uid === uid)
  if (row === undefined) throw new Error('there is no such subscription')
  return row.filter_config
}

describe('the switch of a filter row', () => {
  it.each<[string, readonly string[], (place: Place) => void, (place: Place) => void]>([
    [
      'off',
      [list, `PUT ${rowFor('_A_CREATED')}`],
      () => {},
      (place) => change(place, 'a.created', { enabled_at: null }),
    ],
    [
      'on',
      [list, `PUT ${rowFor('_A_CREATED')}`],
      (place) => change(place, 'a.created', { enabled_at: null }),
      (place) => change(place, 'a.created', { enabled_at: '2026-11-03T00:00:00Z' }),
    ],
    [
      'gone, and was off',
      ['POST /filters'],
      (place) => change(place, 'a.created', { enabled_at: null }),
      (place) => remove(place, 'a.created'),
    ],
    [
      'dropped by an update, and was off',
      ['PUT', list, `PUT ${rowFor('_A_CREATED')}`],
      (place) => change(place, 'a.created', { enabled_at: null }),
      (place) => declare(place, ['a.updated']),
    ],
  ])('that is %s is put back: %j', async (_, requests, prepare, edit) => {
    const place = await start('later')
    prepare(place)
    expect((await putBack(place, () => edit(place))).requests).toEqual(requests)
  })

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
    expect(rows.map(shortForm)).toEqual(['PUT', 'POST /filters'])
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
      expect(rows.map(shortForm)).toEqual(['PUT'])
      expect(left.filter(({ path }) => path.startsWith('/filters'))).toEqual([])
      expect(notes).toEqual([expect.stringMatching(/^Filter rows were not read in both states/)])
    }
    const gone = restoreSubscription(service, place.uid, unread, undefined)
    expect(gone.rows.map(shortForm)).toEqual(['POST'])
    expect(gone.notes).toEqual([expect.stringMatching(/^Filter rows were never read/)])
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
