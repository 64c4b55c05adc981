import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SqlScanDraft } from '../../../src/history/draft/scan-draft.ts'
import type { ScanDraft } from '../../../src/history/history.ts'
import { connect, type PostgresDatabase, type PostgresTransaction } from '../../../src/history/postgres/connect.ts'
import { type HistoryReader, sqlReader } from '../../../src/history/reader.ts'
import { listAcceptances } from '../../../src/history/sql/acceptances.ts'
import { listViolations } from '../../../src/history/sql/list-violations.ts'
import { readRunRecord } from '../../../src/history/sql/read-run.ts'
import { readReferrersOf } from '../../../src/history/sql/resource-life.ts'
import type { SqlValue } from '../../../src/history/sql/session.ts'
import { identifyViolations } from '../../../src/history/sql/violation-keys.ts'
import { readViolationsAt, readWaivedBetween } from '../../../src/history/sql/violations.ts'
import { activeIn, markIn } from '../known-in.ts'
import { questionsAbout } from '../questions.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from './databases.ts'
import { fillHistory } from './large-history.ts'

/** Tables that grow with the resources and with the runs. */
const large = ['version', 'violation', 'change', 'scan', 'walk', 'unreferenced']
const runs = 100
/** Many versions and violations ended before it, and many after it. */
const run = 50
const project = { name: 'acme/p3', service: 'acme', uid: 'p3' }
const endpoint = { project, kind: 'endpoint', uid: 'endpoint7' } as const

interface Plan {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Plan[]
}

describe.skipIf(!hasPostgres)('plans of PostgreSQL', () => {
  let place: TestDatabase
  let db: PostgresDatabase
  beforeAll(async () => {
    place = await makeDatabase()
    db = connect(place.server)
    await fillHistory(db, { projects: 40, runs, resources: 20 })
  })
  afterAll(async () => {
    await db.close()
    await place.remove()
  })

  /** The steps of a statement that read large tables. */
  async function stepsOf(sql: string, values: readonly SqlValue[] = []) {
    return db.snapshot(async (transaction) => {
      await transaction.run('SET LOCAL enable_seqscan = off')
      const rows = await transaction.all<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`EXPLAIN (FORMAT JSON) ${sql}`, values)
      return rows.flatMap((row) => readingSteps(row['QUERY PLAN'][0].Plan))
    })
  }

  const stepsFor = (ask: (reader: HistoryReader) => Promise<unknown>) => stepsIn((db) => ask(sqlReader(db)))

  /** All steps of the statements that some work executes. */
  async function stepsIn(work: (db: PostgresDatabase) => Promise<unknown>) {
    const asked: [sql: string, values: readonly SqlValue[] | undefined][] = []
    await work(recording(db, (...statement) => asked.push(statement)))
    expect(asked.length).toBeGreaterThan(0)
    const steps = await Promise.all(asked.map(([sql, values]) => stepsOf(sql, values)))
    return [...new Set(steps.flat())].sort()
  }

  it.each(questionsAbout(project, endpoint.uid, run))(
    'find %s by the equality of an index, or by runs: %j',
    async (_, byRuns, ask) => {
      const steps = await stepsFor(ask)
      expect(steps.filter((step) => !step.endsWith(' ='))).toEqual(byRuns)
    },
  )

  it('find a violation by the index on fingerprints', async () => {
    const steps = await stepsFor((reader) => identifyViolations(reader, 'abc', run, 5))
    expect(steps.filter((step) => step.startsWith('violation_'))).toEqual([
      'violation_of_fingerprint (fingerprint >=',
      'violation_pkey (id =',
    ])
  })

  it('find the names of accepted resources by the index on fingerprints', async () => {
    const steps = await stepsFor(listAcceptances)
    expect(steps.filter((step) => step.startsWith('violation_'))).toEqual([
      'violation_of_fingerprint (fingerprint =',
      'violation_pkey (id =',
    ])
  })

  it('find active violations by project, and ended ones by project and run', async () => {
    for (const ask of [
      (reader: HistoryReader) => readViolationsAt(reader, run),
      (reader: HistoryReader) => readRunRecord(reader, run),
      (reader: HistoryReader) => listViolations(reader, { run }),
      (reader: HistoryReader) => readWaivedBetween(reader, run - 1, run),
    ]) {
      const steps = await stepsFor(ask)
      expect(steps).toContain('violation_active (project_id =')
      expect(steps).toContain('violation_ended_in_project (project_id =')
    }
  })

  it.each(['endpoint', 'source', 'device'] as const)(
    'find referrers of a resource by their index: %s',
    async (kind) => {
      const steps = await stepsFor((reader) => readReferrersOf(reader, { ...endpoint, kind }, run))
      expect(steps).toEqual([`version_to_${kind} (project_id =`])
    },
  )

  it.each<[string, (draft: ScanDraft) => Promise<unknown>]>([
    ['a project', (draft) => draft.lastScannedRun(project)],
    ['runs under other rules', (draft) => draft.otherRules([1, 2])],
    ['known resources', (draft) => draft.current(project)],
    ['what earlier runs left of a project', (draft) => draft.historyOf(project, '2026-01-01')],
    ['unreferenced resources', (draft) => markIn(draft, project, 'source', [])],
    ['active violations', (draft) => activeIn(draft, project, 'endpoint', ['endpoint7'])],
    ['violations that were not confirmed', (draft) => draft.unconfirmedViolations(project)],
    ['those of some rules', (draft) => draft.unconfirmedBy(['endpoint/url-not-https'], [project])],
    ['old violations', (draft) => draft.oldViolations(project, { high: '2026-01-01' })],
    ['withheld removals', (draft) => draft.previouslyWithheld(project)],
  ])('of a draft find %s by the equality of an index', async (_, ask) => {
    const begun = { run: runs + 1, startedAt: '2026-01-01', sealKeyId: 'key-1' }
    const steps = await stepsIn((db) => ask(new SqlScanDraft(db, sqlReader(db), begun)))
    expect(steps.filter((step) => !step.endsWith(' ='))).toEqual([])
  })

  it('that read a whole table are recognised', async () => {
    expect(await stepsOf("SELECT body FROM hookdrift.version WHERE name = 'a'")).toEqual(['Seq Scan on version'])
    expect(await stepsOf('SELECT 1 FROM hookdrift.version WHERE id > 7')).toEqual(['version_pkey (id >'])
  })
})

/** By which index a step reads a large table, and how it finds the first column: `version_ended (to_run >`. */
function readingSteps(plan: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition = '' } = plan
  const below = (plan.Plans ?? []).flatMap(readingSteps)
  if (index !== undefined) {
    const [, column = '', comparison = ''] = /^\(+(\w+) ([^ ]+)/.exec(condition) ?? []
    return large.some((name) => index.startsWith(`${name}_`)) ? [...below, `${index} (${column} ${comparison}`] : below
  }
  const isRead = table !== undefined && type !== 'Bitmap Heap Scan' && large.includes(table)
  return isRead ? [...below, `${type} on ${table}`] : below
}

/** The same database, which notes every statement. */
function recording(db: PostgresDatabase, note: (sql: string, values: readonly SqlValue[] | undefined) => void) {
  const noting = <Target extends PostgresDatabase | PostgresTransaction>(target: Target) =>
    new Proxy(target, {
      get(_, name) {
        const member = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...values: [never, never]) => {
          if (name === 'snapshot')
            return db.snapshot((transaction) => (values[0] as (t: PostgresTransaction) => never)(noting(transaction)))
          note(...values)
          return Reflect.apply(member, target, values)
        }
      },
    })
  return noting(db)
}
