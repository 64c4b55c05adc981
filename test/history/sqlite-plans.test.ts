import type { Database } from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Approval } from '../../src/history/approvals.ts'
import { beginRun } from '../../src/history/draft/run-draft.ts'
import type { Draft } from '../../src/history/history.ts'
import { type HistoryReader, sqlReader } from '../../src/history/reader.ts'
import { listAcceptances } from '../../src/history/sql/acceptances.ts'
import { listApprovalsOf, readApproved, readApprovedBodies } from '../../src/history/sql/approvals.ts'
import { type ListChoice, listViolations } from '../../src/history/sql/list-violations.ts'
import { readRunRecord } from '../../src/history/sql/read-run.ts'
import { readReferrersOf } from '../../src/history/sql/resource-life.ts'
import { readCompleteScans } from '../../src/history/sql/scans.ts'
import { readEarlierVersions } from '../../src/history/sql/state-at.ts'
import { identifyViolations } from '../../src/history/sql/violation-keys.ts'
import { readViolationsAt, readWaivedBetween } from '../../src/history/sql/violations.ts'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { openScoped } from '../../src/history/sqlite/open-scoped.ts'
import { sqliteBackend } from '../../src/history/sqlite/sqlite-backend.ts'
import { SqliteDatabase } from '../../src/history/sqlite/sqlite-database.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { activeIn, knownIn, markIn } from './known-in.ts'
import { Machines } from './processes.ts'
import { questionsAbout } from './questions.ts'
import {
  aChange,
  aContext,
  aNotice,
  aStart,
  at,
  aVersion,
  aViolation,
  commit,
  endedAs,
  payments,
  walkAll,
} from './samples.ts'

const { file, remove } = temporaryDatabasePath()
let db: Database
beforeAll(() => {
  db = openDatabase(file, at(0))
  db.exec(
    `INSERT INTO run (number, state, started_at, fail_on, tool_version, policy_digest, configuration_digest, seal_key_id,
       normal_form_version, version_floor, violation_floor)
     VALUES (1, 'committed', '', '', '', '', '', '', 1, 0, 0)`,
  )
})
afterAll(() => {
  db.close()
  remove()
})

const approval: Approval = {
  id: 1,
  project: payments,
  run: 1,
  scopes: {},
  note: '',
  by: '',
  at: at(1),
  revoked: undefined,
}

function stepsOf(sql: string, of = db) {
  const plan = of.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replace(/\?|@\w+/g, '1')}`).all()
  return plan.map(({ detail }) => detail)
}

/**
 * Steps that read a whole table. Lists that come as JSON are ours to read whole, the lease is one row, and what a part of
 * the statement found is read whole by the rest of it.
 */
function scansOf(sql: string, of = db) {
  const steps = stepsOf(sql, of)
  const isFound = (step: string) => steps.includes(step.replace('SCAN', 'CO-ROUTINE'))
  return steps.filter(
    (step) => /^SCAN|AUTOMATIC/.test(step) && !/VIRTUAL TABLE|^SCAN lease$/.test(step) && !isFound(step),
  )
}

/** The texts of all statements that are prepared meanwhile. */
async function preparedBy(work: (db: Database) => unknown, of = db) {
  const texts: string[] = []
  const listening = new Proxy(of, {
    get(target, member) {
      const value = Reflect.get(target, member, target)
      if (typeof value !== 'function') return value
      return (...values: unknown[]) => {
        if (member === 'prepare') texts.push(String(values[0]))
        return Reflect.apply(value, target, values)
      }
    },
  })
  await work(listening)
  return texts
}

/** Those of questions. */
function preparedFor(ask: (reader: HistoryReader) => Promise<unknown>) {
  return preparedBy((listening) => ask(sqlReader(new SqliteDatabase(listening))))
}

describe('query plans', () => {
  it('scan no table for a page, a walk, a project or a commit, but for small ones', async () => {
    const place = temporaryDatabasePath()
    const own = openDatabase(place.file, at(0))
    const texts = await preparedBy(async (listening) => {
      const session = new SqliteDatabase(listening)
      const backend = sqliteBackend(session, new Machines().process(1))
      for (const hour of [1, 2, 3]) await auditAll(await beginRun(backend, aStart(at(hour))), hour)
      const imported = { ...approval, run: undefined }
      await readApprovedBodies(sqlReader(session), imported, [{ kind: 'endpoint', uid: 'a' }])
    }, own)
    expect(texts.length).toBeGreaterThan(40)
    const steps = texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))
    // Signatures and withheld removals are few.
    const small = /^SCAN (?:CONSTANT ROW|sqlite_schema|approval|acceptance|withheld_removal|run )/
    expect(steps.filter((step) => !small.test(step))).toEqual([])
    own.close()
    place.remove()
  })

  it('scan no table for a run', async () => {
    const texts = await preparedFor((reader) => readRunRecord(reader, 1))
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))).toEqual([])
  })

  it('scan no table for a question, except for those about projects and runs', async () => {
    const texts = await preparedFor(async (reader) => {
      for (const [, , ask] of questionsAbout(payments, 'a', 1)) await ask(reader)
    })
    expect(texts.length).toBeGreaterThan(0)
    const steps = texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))
    // Withheld removals are few.
    expect(steps.filter((step) => !/^SCAN (p|r|run|h)( USING| in)/.test(step))).toEqual([])
    // Views of readers of some projects cost no other scan than that of the names of these.
    const scoped = openScoped(db)
    const ofReaders = texts.filter((sql) => !/^(?:BEGIN|COMMIT)/.test(sql)).flatMap((sql) => scansOf(sql, scoped))
    const known = /^SCAN (?:o|own_\w+|p|main\.(?:project|run|withheld_removal))(?: |$)/
    expect(ofReaders.filter((step) => !known.test(step))).toEqual([])
    scoped.close()
  })

  it('find a violation by the index on fingerprints', async () => {
    const steps = (await preparedFor((reader) => identifyViolations(reader, 'abc', 1, 5))).flatMap((sql) =>
      stepsOf(sql),
    )
    expect(steps.filter((step) => step.startsWith('SEARCH v '))).toEqual([
      'SEARCH v USING INDEX violation_of_fingerprint (fingerprint>? AND fingerprint<?)',
    ])
  })

  it('find the names of accepted resources by the index on fingerprints', async () => {
    const steps = (await preparedFor(listAcceptances)).flatMap((sql) => stepsOf(sql))
    // `l` is a scan, too, of which the name of its project is read.
    const ofViolations = steps.filter((step) => /^(?:SCAN|SEARCH) [lv] (?!.*scan_of_project)/.test(step))
    expect(ofViolations).toEqual([
      expect.stringMatching(/^SEARCH v USING INTEGER PRIMARY KEY \(rowid=\?\)/),
      'SEARCH l USING INDEX violation_of_fingerprint (fingerprint=?)',
    ])
  })

  it('list violations within the indexes on active and on ended ones, and the ended ones of a project by the run', async () => {
    db.exec("INSERT INTO project VALUES (1, 'acme', 'p'); INSERT INTO scan VALUES (1, 1, 'acme/p', NULL)")
    const stepsFor = async (more: Partial<ListChoice>) => {
      const texts = await preparedFor((reader) => listViolations(reader, { run: 1, ...more }))
      return texts
        .flatMap((sql) => stepsOf(sql))
        .filter((step) => / [ix] /.test(step) && !step.includes('violation_opened'))
    }
    const active = [
      'SEARCH x USING COVERING INDEX violation_active (project_id=?)',
      'SEARCH x USING COVERING INDEX violation_ended_in_project (project_id=? AND to_run>?)',
    ]
    expect(await stepsFor({})).toEqual(expect.arrayContaining(active))
    const ended = 'SEARCH x USING COVERING INDEX violation_ended_in_project (project_id=? AND to_run>? AND to_run<?)'
    expect(await stepsFor({ resolvedAfter: 0 })).toEqual(expect.arrayContaining([...active, ended]))
  })

  it('find active violations by the index that has no others, also where all of them is read', async () => {
    for (const ask of [
      (reader: HistoryReader) => readViolationsAt(reader, 1),
      (reader: HistoryReader) => readWaivedBetween(reader, 0, 1),
      (reader: HistoryReader) => listViolations(reader, { run: 1, withTexts: true }),
    ]) {
      const steps = (await preparedFor(ask)).flatMap((sql) => stepsOf(sql))
      expect(steps).toContainEqual(
        expect.stringMatching(/^SEARCH i USING COVERING INDEX violation_active \(project_id=\?\)$/),
      )
      expect(steps).not.toContainEqual(expect.stringContaining('violation_of_resource'))
    }
  })

  it('find referrers of a resource by their index', async () => {
    const texts = await preparedFor(async (reader) => {
      for (const kind of ['endpoint', 'source', 'device'] as const) {
        await readReferrersOf(reader, { project: payments, kind, uid: 'a' }, 1)
      }
    })
    const plans = texts.map((sql) => stepsOf(sql).join())
    for (const kind of ['endpoint', 'source', 'device']) {
      expect(plans.filter((plan) => plan.includes(`USING INDEX version_to_${kind} `))).toHaveLength(1)
    }
  })

  it('that scan a table are recognised', () => {
    expect(scansOf('SELECT * FROM version WHERE name = ?')).toEqual(['SCAN version'])
  })
})

/** Every question and every write of a draft. */
async function auditAll(draft: Draft, hour: number) {
  await draft.historyOf(payments, at(0))
  await draft.lastScannedRun(payments)
  await draft.otherRules([draft.run - 1])
  await readCompleteScans(draft.past, payments, draft.run - 1)
  await draft.previouslyWithheld(payments)
  const uids = ['a', 'b']
  const known = await knownIn(draft, payments, 'endpoint', uids)
  await readEarlierVersions(draft.past, payments, [{ kind: 'endpoint', uid: 'a' }])
  await draft.versionsAt(payments, [{ kind: 'endpoint', uid: 'a', run: draft.run - 1 }])
  await walkAll(draft)
  const staged = uids.map((uid) => aVersion(uid, { hour }, { replaces: known.get(uid)?.id }))
  await draft.stage(payments, staged)
  await draft.stageChanges(payments, [aChange('a')])
  const active = await activeIn(draft, payments, 'endpoint', uids)
  await draft.stageViolations(payments, {
    confirmed: active.map(({ id }) => id),
    violations: active.length > 0 ? [] : uids.map((uid) => aViolation(uid, { originRun: draft.run })),
  })
  await draft.unreferenced(payments)
  await markIn(draft, payments, 'source', hour === 2 ? ['s'] : ['t'])
  await draft.unconfirmedViolations(payments)
  await draft.unconfirmedBy(['endpoint/url-not-https'], [payments])
  await draft.oldViolations(payments, { high: at(9), low: at(9) })
  await draft.acceptancesOf([payments])
  await listApprovalsOf(draft.past, payments)
  await readApproved(draft.past, approval)
  await readApprovedBodies(draft.past, approval, [{ kind: 'endpoint', uid: 'a' }])
  if (hour === 3) await draft.endViolations(payments, endedAs(active.map(({ id }) => id)))
  await draft.reading(payments, 'items')
  await draft.stageReading(payments, 'items', '{}')
  await draft.stageNotice(payments, aNotice('endpoints', 'n'))
  await draft.withholdRemovals(payments, 'endpoints', ['x'])
  await draft.stageContext(aContext())
  await commit(draft)
}
