import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { deleteSubscription } from '../../src/demo/edits.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { policyOf } from '../audit/audit-harness.ts'
import { type HistoryFixture, openHistoryFixture } from '../questions/history-fixture.ts'
import {
  add,
  change,
  conditions,
  declare,
  editsOf,
  list,
  type Place,
  placeInFleet,
  remove,
  rename,
  rowFor,
  rowsAt,
  sendInOrder,
  shortForm,
} from './filter-row-edits.ts'
import { observe } from './observe-subscription.ts'
import { valuesOf } from './send-rows.ts'

const removed = 'drift/filter-removed'
const widened = 'drift/filter-widened'
const off = 'subscription/filter-off'

/** The requests that put rows back, the violations until then, what comes before the first audit, and after it. */
type Case = readonly [string, readonly string[], readonly string[], (place: Place) => void, (place: Place) => void]

const everyRelease: readonly Case[] = [
  ['removed', ['POST /filters'], [removed], () => {}, (place) => remove(place, 'a.created')],
  [
    'all removed',
    ['POST /filters', 'POST /filters'],
    [removed],
    () => {},
    (place) => rowsAt(place).map(({ event_type }) => remove(place, event_type)),
  ],
  [
    'with conditions removed',
    ['POST /filters'],
    [removed],
    (place) => change(place, 'a.updated', conditions),
    (place) => remove(place, 'a.updated'),
  ],
  ['added beyond the list', ['PUT'], [widened], () => {}, (place) => add(place, 'beyond', conditions)],
  [
    'added beyond the list, one of the list removed',
    ['PUT'],
    [widened],
    () => {},
    (place) => {
      add(place, '*')
      remove(place, 'a.created')
    },
  ],
  [
    'added to a list that has none',
    [list, `DELETE ${rowFor('_A_CREATED')}`],
    [widened],
    (place) => remove(place, 'a.created'),
    (place) => add(place, 'a.created'),
  ],
  [
    'widened',
    [list, `PUT ${rowFor('_A_CREATED')}`],
    [widened],
    (place) => change(place, 'a.created', conditions),
    (place) => change(place, 'a.created', { body: {}, headers: {} }),
  ],
  ['narrowed', [list, `PUT ${rowFor('_A_CREATED')}`], [], () => {}, (place) => change(place, 'a.created', conditions)],
  [
    'for another type',
    ['PUT'],
    [removed, widened],
    () => {},
    (place) => change(place, 'a.created', { event_type: 'b' }),
  ],
  [
    'beyond the list, swapped',
    ['PUT', 'POST /filters'],
    [removed, widened],
    (place) => add(place, 'one', conditions),
    (place) => {
      remove(place, 'one')
      add(place, 'two')
    },
  ],
  [
    'beyond the list, lost with an update',
    ['PUT', 'POST /filters'],
    [removed],
    (place) => add(place, 'beyond', conditions),
    (place) => rename(place, 'renamed'),
  ],
  [
    'after an update with another filter',
    ['PUT'],
    [],
    () => {},
    (place) => declare(place, ['a.created', 'a.updated'], { body: { a: 1 } }),
  ],
  ['after an update with other types', ['PUT'], [widened], () => {}, (place) => declare(place, ['*'])],
  [
    'with conditions, after an update with other types',
    ['PUT', list, `PUT ${rowFor('_A_CREATED')}`],
    [widened],
    (place) => change(place, 'a.created', conditions),
    (place) => declare(place, ['*']),
  ],
  ['dropped by an update', ['PUT'], [removed], () => {}, (place) => declare(place, ['a.updated'])],
  [
    'of which the list has more than there are',
    ['PUT', list, `DELETE ${rowFor('_A_CREATED')}`],
    [widened],
    (place) => remove(place, 'a.created'),
    (place) => rename(place, 'renamed'),
  ],
  [
    'and the list, both changed',
    ['PUT', 'POST /filters', list, `PUT ${rowFor('_A_UPDATED')}`],
    [removed, widened],
    (place) => add(place, 'beyond'),
    (place) => {
      declare(place, ['a.updated', 'c'])
      change(place, 'a.updated', conditions)
    },
  ],
]

/** Only the later release has switches, and conditions on the query and the path. */
const laterRelease: readonly Case[] = [
  [
    'switched off',
    [list, `PUT ${rowFor('_A_CREATED')}`],
    [removed, off],
    () => {},
    (place) => change(place, 'a.created', { enabled_at: null }),
  ],
  [
    'switched on',
    [list, `PUT ${rowFor('_A_CREATED')}`],
    [widened],
    (place) => change(place, 'a.created', { enabled_at: null }),
    (place) => change(place, 'a.created', { enabled_at: '2026-11-03T00:00:00Z' }),
  ],
  [
    'that are off and removed',
    ['POST /filters'],
    [],
    (place) => change(place, 'a.created', { enabled_at: null }),
    (place) => remove(place, 'a.created'),
  ],
  [
    'that are off and dropped by an update',
    ['PUT', list, `PUT ${rowFor('_A_CREATED')}`],
    [],
    (place) => change(place, 'a.created', { enabled_at: null }),
    (place) => declare(place, ['a.updated']),
  ],
]

const policy = policyOf(`
extends: []
rules:
  ${removed}: {}
  ${widened}: {}
  ${off}: {}
`)

let history: HistoryFixture
afterEach(() => history[Symbol.asyncDispose]())

async function open(release: 'seed' | 'later'): Promise<Place> {
  const place = placeInFleet()
  history = await openHistoryFixture({
    fleet: place.fleet,
    service: { release },
    harness: { listings: { filters: 'required' } },
  })
  return place
}

async function audit() {
  const report = await history.fixture.audit({ policy })
  expect(report.coverage.map(({ listing, status }) => `${listing} ${status}`)).toContain('filters complete')
  return report
}

/** Sends what `restore` prints for the state of a run. Returns the uid of a subscription that was made, too. */
async function restore({ uid }: Place, run: number, secrets: readonly JsonObject[] = []) {
  const { rows, left_to_you } = await history.rows(`restore ${uid} --run ${run}`)
  const made = await sendInOrder(rows, valuesOf(history.fixture), secrets)
  expect(JSON.stringify([rows, left_to_you])).not.toMatch(/sealed:|not-a-real-key/)
  return { rows, requests: rows.map(shortForm), made }
}

/** Edits between two audits, restores, and audits once more: nothing has drifted. */
async function putBack(place: Place, edit: (place: Place) => void, secrets: readonly JsonObject[] = []) {
  const { uid } = place
  const { service } = history.fixture
  const before = await audit()
  const served = await observe(service, uid)
  edit(place)
  const edited = await observe(service, uid)
  const drifted = await audit()
  const changed = drifted.drift.flatMap((each) => (each.uid === uid ? each.fields : [])).map(({ path }) => path)
  const isSame = isDeepStrictEqual(edited?.rows, served?.rows)
  expect(changed.some((path) => path.startsWith('/filters/') && !(isSame && isSwitch(path)))).toBe(!isSame)

  const { requests, rows: sent } = await restore(place, before.run.number, secrets)
  const restored = await observe(service, uid)
  expect(restored?.rows).toEqual(served?.rows)
  expect(restored?.listed).toEqual(served?.listed)
  const after = await audit()
  const again = await history.rows(`restore ${uid} --run ${before.run.number}`)
  expect(again.rows).toEqual([])
  // A row that was made anew is on since then, which no request changes.
  const left: string[] = again.left_to_you.map(({ path }: Shown) => path)
  expect(left.filter((path) => !isSwitch(path))).toEqual([])
  const { rows } = await history.rows(`diff ${before.run.number} ${after.run.number}`)
  expect(rows.flatMap(pathsIn)).toEqual(left)

  const opened = drifted.violations.filter(({ state }) => state === 'opened')
  const ids = opened.map(({ fingerprint }) => fingerprint)
  const ends = after.violations.filter(({ fingerprint }) => ids.includes(fingerprint))
  expect(ends.map(({ state, resolution }) => `${state} ${resolution}`)).toEqual(ids.map(() => 'resolved fixed'))
  return { opened: opened.map(({ rule }) => rule).sort(), left, requests, sent }
}

interface Shown {
  readonly path: string
}

function pathsIn({ change, fields }: { readonly change: string; readonly fields: readonly Shown[] }): string[] {
  return fields.length === 0 ? [change] : fields.map(({ path }) => path)
}

/** Since when a row is on, or whether it is. */
function isSwitch(path: string): boolean {
  return /^\/filters\/[^/]+\/enabled_at$/.test(path)
}

/** What the history knows of rows, but for since when they are on. */
function knownRows(uid: string) {
  const sql = "SELECT body -> '$.filters' AS filters FROM current_resource WHERE uid = ?"
  const [known] = history.fixture.query<{ filters: string }>(sql, uid)
  const rows: [string, JsonObject][] = Object.entries(JSON.parse(known?.filters ?? 'null'))
  return Object.fromEntries(rows.map(([type, { enabled_at, ...row }]) => [type, { ...row, isOn: enabled_at !== null }]))
}

describe.each([
  ['seed', everyRelease],
  ['later', [...everyRelease, ...laterRelease]],
] as const)('filter rows that audits of the %s release saw', (release, cases) => {
  it.each(cases)('%s are put back: %j', async (_, requests, opened, prepare, edit) => {
    const place = await open(release)
    prepare(place)
    const put = await putBack(place, edit)
    expect([put.requests, put.opened]).toEqual([requests, opened])
    if (release === 'seed') expect(put.left).toEqual([])
  })

  it('have secrets that a person fills in', async () => {
    const place = await open(release)
    const headers = { 'x-api-key': { $eq: 'not-a-real-key-8f41c09be2d7a365' } }
    change(place, 'a.created', { headers })
    const secrets = [{ event_type: 'a.created', headers }]
    const { sent } = await putBack(place, () => remove(place, 'a.created'), secrets)
    expect(sent[0]?.placeholders).toContainEqual(
      expect.objectContaining({ path: '/headers/x-api-key/$eq', hint: expect.stringContaining('former secret') }),
    )
  })

  it('are put back with a subscription that is created anew', async () => {
    const place = await open(release)
    change(place, 'a.created', conditions)
    add(place, 'beyond')
    const before = await audit()
    const rows = knownRows(place.uid)
    deleteSubscription(place.fleet, place)
    await audit()
    const { requests, made = '' } = await restore(place, before.run.number)
    expect(requests).toEqual(['POST', 'POST /filters', list, `PUT ${rowFor('_A_CREATED')}`])
    await audit()
    expect(rows).toMatchObject({ 'a.created': conditions, 'a.updated': {}, beyond: {} })
    expect(knownRows(made)).toEqual(rows)
  })

  it('are put back after any edits', async () => {
    await fc.assert(
      fc.asyncProperty(editsOf(release), editsOf(release), async (first, second) => {
        await history?.[Symbol.asyncDispose]()
        const place = await open(release)
        for (const edit of first) edit(place)
        await putBack(place, () => second.forEach((edit) => void edit(place)))
      }),
      { numRuns: 8 },
    )
  })
})
