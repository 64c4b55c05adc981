import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Draft, History } from '../../src/history/history.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import type { Resolution } from '../../src/model/violation.ts'
import { faultsOf, temporaryDatabasePath } from './database-fixture.ts'
import { knownIn } from './known-in.ts'
import { Machines } from './processes.ts'
import {
  aChange,
  aContext,
  aCoverage,
  aNotice,
  anEnding,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  instead,
  only,
  orders,
  payments,
} from './samples.ts'

const views = [
  'committed_run',
  'run_coverage',
  'run_rule',
  'resource_at',
  'current_resource',
  'drift',
  'open_violation',
  'violation_history',
  'baseline',
] as const

let file: string
let remove: () => void
let history: History
/** Another program with the file open, such as sqlite3. */
let reader: Database.Database

beforeEach(() => {
  const path = temporaryDatabasePath()
  file = path.file
  remove = path.remove
  history = openSqliteHistory(file, new Machines().process(1))
  reader = new Database(file, { readonly: true })
})
afterEach(async () => {
  reader.close()
  await history.close()
  expect(faultsOf(file)).toEqual([])
  remove()
})

const rows = (sql: string) => reader.prepare(sql).all()
const everything = () => Object.fromEntries(views.map((view) => [view, rows(`SELECT * FROM ${view}`)]))
const begin = (hour: number) => history.begin(aStart(at(hour)))

async function idOf(draft: Draft, uid: string): Promise<number> {
  return only([...(await knownIn(draft, payments, 'endpoint', [uid])).values()]).id
}

/** Adds a, b and c with a violation each. */
async function firstRun(): Promise<void> {
  const draft = await begin(1)
  await draft.stageScan(payments)
  await draft.stageWalk(payments, aCoverage('endpoints'), ['/url'])
  await draft.stageWalk(payments, aCoverage('subscriptions', 'partial'), undefined)
  await draft.stage(
    payments,
    ['a', 'b', 'c'].map((uid) => aVersion(uid, { of: uid })),
  )
  await draft.stageChanges(payments, [aChange('a', { referrers: ['u'] })])
  const violations = ['a', 'b', 'c'].map((uid) => aViolation(uid))
  await draft.stageViolations(payments, { confirmed: [], violations })
  await draft.commit(at(1.5), () => 1)
}

/** Modifies a, removes b, whose violation ends; c's becomes unknown; d is added. */
async function draftSecond(): Promise<Draft> {
  const draft = await begin(2)
  await draft.stageScan(payments)
  await draft.stageWalk(payments, aCoverage('endpoints'), ['/url'])
  const modified = aVersion('a', { of: 'a', n: 2 }, { replaces: await idOf(draft, 'a') })
  await draft.stage(payments, [modified, aVersion('d')])
  await draft.endVersions(payments, [await idOf(draft, 'b')])
  await draft.stageChanges(payments, [aChange('b', { change: 'removed' })])
  const activeViolation = async (uid: string) => only(await draft.activeViolations(payments, 'endpoint', [uid]))
  const [a, b, c] = [await activeViolation('a'), await activeViolation('b'), await activeViolation('c')]
  const violations = [instead(c, { state: 'unknown', lastRun: 1 }), aViolation('d')]
  await draft.stageViolations(payments, { confirmed: [a.id], violations })
  await draft.endViolations(payments, endedAs([b.id]))
  await draft.stageNotice(payments, aNotice('endpoints', 'the shape changed'))
  await draft.markUnreferenced(payments, 'source', ['s'])
  return draft
}

describe('the documented views', () => {
  it('are these', () => {
    const found = reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'view'").pluck().all()
    expect(found.toSorted()).toEqual(views.toSorted())
  })

  it('show only the last committed run while another is drafted, given up, or killed', async () => {
    await firstRun()
    const before = everything()
    const draft = await draftSecond()
    expect(everything()).toEqual(before)
    await draft.abandon(at(3))
    expect(everything()).toEqual(before)
    await draftSecond()
    await history.close()
    expect(everything()).toEqual(before)
    history = openSqliteHistory(file, { ...new Machines().process(2), isAlive: () => false })
    const next = await begin(4)
    expect(next.interrupted).toEqual([3])
    expect(everything()).toEqual(before)
  })

  it('list the rules that were evaluated, of committed runs only', async () => {
    const draft = await begin(1)
    await draft.stageContext(aContext())
    expect(rows('SELECT * FROM run_rule')).toEqual([])
    await commit(draft)
    const rule = { rule: 'endpoint/url-not-https', kind: 'endpoint', severity: 'high', title: 'No TLS' }
    const expected = { run: 1, started_at: at(1), ...rule, controls: '["soc2:CC6.7"]' }
    expect(rows('SELECT * FROM run_rule')).toEqual([expected])
  })

  it('show one state to a reader in a transaction during later commits', async () => {
    await firstRun()
    reader.exec('BEGIN')
    const before = everything()
    await commit(await draftSecond())
    expect(everything()).toEqual(before)
    reader.exec('COMMIT')
    expect(everything()).not.toEqual(before)
  })

  it('contain what their documentation says', async () => {
    await firstRun()
    await commit(await draftSecond())
    const other = await begin(3)
    await other.stageScan(orders)
    await other.stageWalk(orders, aCoverage('endpoints', 'failed'), undefined)
    await other.commit(at(3.5), () => 3)

    const run = {
      fail_on: 'medium',
      tool_version: '0.1.0',
      policy_digest: 'policy',
      configuration_digest: 'configuration',
      chain: expect.stringMatching(/^[0-9a-f]{64}$/),
    }
    expect(rows('SELECT * FROM committed_run ORDER BY number')).toEqual([
      { number: 1, started_at: at(1), finished_at: at(1.5), exit_code: 1, ...run },
      { number: 2, started_at: at(2), finished_at: at(2.5), exit_code: 0, ...run },
      { number: 3, started_at: at(3), finished_at: at(3.5), exit_code: 3, ...run },
    ])

    const walk = {
      filter: null,
      pages: 1,
      items: 2,
      requests: 3,
      retries: 0,
      duration_ms: 40,
      total: null,
      oldest_at: null,
    }
    const complete = {
      project: 'acme/payments',
      listing: 'endpoints',
      status: 'complete',
      cause: null,
      reason: null,
      ...walk,
    }
    expect(rows('SELECT * FROM run_coverage ORDER BY run, listing')).toEqual([
      { run: 1, started_at: at(1), exit_code: 1, ...complete },
      {
        run: 1,
        started_at: at(1),
        exit_code: 1,
        ...complete,
        listing: 'subscriptions',
        status: 'partial',
        cause: 'timeout',
        reason: 'it is partial',
      },
      { run: 2, started_at: at(2), exit_code: 0, ...complete },
      {
        run: 3,
        started_at: at(3),
        exit_code: 3,
        ...complete,
        project: 'acme/orders',
        status: 'failed',
        cause: 'http',
        reason: 'it is failed',
      },
    ])

    const resource = (uid: string, fromRun: number, body: string) => ({
      ...{ service: 'acme', project_uid: '01PAYMENTS', kind: 'endpoint', uid },
      ...{ name: `name of ${uid}`, from_run: fromRun, body, facts: '', project: 'acme/payments' },
    })
    const now = [resource('a', 2, '{"n":2,"of":"a"}'), resource('c', 1, '{"of":"c"}'), resource('d', 2, '{}')]
    expect(rows('SELECT * FROM current_resource ORDER BY uid')).toEqual(now)
    const then = [resource('a', 1, '{"of":"a"}'), resource('b', 1, '{"of":"b"}'), resource('c', 1, '{"of":"c"}')]
    expect(rows('SELECT * FROM resource_at ORDER BY run, uid')).toEqual([
      ...then.map((row) => ({ run: 1, ...row })),
      ...now.map((row) => ({ run: 2, ...row })),
      ...now.map((row) => ({ run: 3, ...row })),
    ])

    const change = { service: 'acme', project_uid: '01PAYMENTS', kind: 'endpoint', fields: '[]' }
    const whose = { referrers: null, project: 'acme/payments' }
    expect(rows('SELECT * FROM drift ORDER BY run')).toEqual([
      {
        run: 1,
        started_at: at(1),
        ...change,
        uid: 'a',
        name: 'name of a',
        change: 'added',
        ...whose,
        referrers: '["u"]',
      },
      { run: 2, started_at: at(2), ...change, uid: 'b', name: 'name of b', change: 'removed', ...whose },
    ])

    const shown =
      'SELECT uid, rule, severity, state, message, service, project_uid, project, first_seen, last_seen FROM open_violation'
    const violation = {
      rule: 'endpoint/url-not-https',
      severity: 'high',
      state: 'open',
      service: 'acme',
      project_uid: '01PAYMENTS',
      project: 'acme/payments',
    }
    // Seen by the last run that scanned the project, which was not the last of all.
    expect(rows(`${shown} ORDER BY uid`)).toEqual([
      { uid: 'a', ...violation, message: 'a is reached without TLS', first_seen: at(1), last_seen: at(2) },
      {
        uid: 'c',
        ...violation,
        state: 'unknown',
        message: 'c is reached without TLS',
        first_seen: at(1),
        last_seen: at(1),
      },
      { uid: 'd', ...violation, message: 'd is reached without TLS', first_seen: at(2), last_seen: at(2) },
    ])
  })

  it('say how violations ended, and who or what ended those that are not gone', async () => {
    await firstRun()
    const draft = await begin(2)
    await draft.stageScan(payments)
    const active = await draft.unconfirmedViolations(payments)
    const idsOf = (uid: string) => active.flatMap((one) => (one.uid === uid ? [one.id] : []))
    await draft.endViolations(payments, endedAs(idsOf('a'), 'accepted'))
    await draft.endViolations(payments, endedAs(idsOf('b'), 'policy'))
    await draft.endViolations(payments, endedAs(idsOf('c')))
    await commit(draft)
    const ended = { project: 'acme/payments', run: 2, first_seen: at(1), ended_at: at(2), owner: null }
    const noOne = { ended_by: null, ended_kind: null, ended_person: null, ended_reason: null }
    const by = (resolution: Resolution) => JSON.stringify(anEnding(resolution).endedBy)
    expect(
      rows(`SELECT uid, project, run, first_seen, ended_at, owner, resolution, ended_by, ended_kind, ended_person,
              ended_reason FROM violation_history ORDER BY uid`),
    ).toEqual([
      {
        ...{ uid: 'a', ...ended, resolution: 'accepted', ended_by: by('accepted') },
        ...{ ended_kind: 'baseline', ended_person: 'eve', ended_reason: 'looks fine' },
      },
      { uid: 'b', ...ended, resolution: 'policy', ...noOne, ended_by: by('policy'), ended_kind: 'override' },
      { uid: 'c', ...ended, resolution: 'fixed', ...noOne },
    ])
  })

  it('show in the table of runs what became of each', async () => {
    await firstRun()
    await (await draftSecond()).abandon(at(2.2))
    await begin(3)
    expect(rows('SELECT number, state, finished_at, exit_code, seal_key_id FROM run ORDER BY number')).toEqual([
      { number: 1, state: 'committed', finished_at: at(1.5), exit_code: 1, seal_key_id: 'key-1' },
      { number: 2, state: 'interrupted', finished_at: at(2.2), exit_code: null, seal_key_id: 'key-1' },
      { number: 3, state: 'running', finished_at: null, exit_code: null, seal_key_id: 'key-1' },
    ])
  })
})

describe('a run without changes', () => {
  it('adds only its own row and those of its walks', async () => {
    await firstRun()
    const tables = ['version', 'violation', 'change', 'notice', 'unreferenced', 'project']
    const contents = () => tables.map((table) => rows(`SELECT * FROM ${table}`))
    const before = contents()
    const draft = await begin(2)
    await draft.stageScan(payments)
    await draft.stageWalk(payments, aCoverage('endpoints'), undefined)
    await draft.stage(payments, [])
    const active = await draft.activeViolations(payments, 'endpoint', ['a', 'b', 'c'])
    await draft.stageViolations(payments, { confirmed: active.map(({ id }) => id), violations: [] })
    await draft.endVersions(payments, [])
    await draft.endViolations(payments, endedAs((await draft.unconfirmedViolations(payments)).map(({ id }) => id)))
    await draft.markUnreferenced(payments, 'source', [])
    await commit(draft)
    expect(contents()).toEqual(before)
    expect(rows('SELECT run FROM walk')).toHaveLength(3)
  })
})
