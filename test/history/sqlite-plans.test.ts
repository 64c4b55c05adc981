import type { Database } from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ViolationChoice } from '../../src/history/reader.ts'
import { differing, visitDiffering } from '../../src/history/sqlite/differing.ts'
import { prepareStatements } from '../../src/history/sqlite/draft/draft-statements.ts'
import { endedRuns, runExtents, runsBefore } from '../../src/history/sqlite/ended-runs.ts'
import { endpointsOf } from '../../src/history/sqlite/endpoints-of.ts'
import { firstViolations } from '../../src/history/sqlite/first-violations.ts'
import { countResources, listResources } from '../../src/history/sqlite/list-resources.ts'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { readRun } from '../../src/history/sqlite/read-run.ts'
import { find, referrersOf, versionsOf, violationsOf } from '../../src/history/sqlite/resource-life.ts'
import { committedRun } from '../../src/history/sqlite/rows.ts'
import { completeScansAt, latestScansAt } from '../../src/history/sqlite/scans-at.ts'
import { prepareApproved } from '../../src/history/sqlite/sqlite-approvals.ts'
import { stateAt } from '../../src/history/sqlite/state-at.ts'
import { resolvedBetween, violationsAt, waivedBetween } from '../../src/history/sqlite/violations-at.ts'
import { identifyViolations, visitViolations } from '../../src/history/sqlite/visit-violations.ts'
import { temporaryDatabasePath } from './database-fixture.ts'
import { at, payments } from './samples.ts'

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

const fifty: ViolationChoice = {
  ...{ run: 2, withActive: true, resolvedAfter: 1, withOwner: false, most: 50 },
  isChosen: () => true,
}

function stepsOf(sql: string): string[] {
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replace(/\?|@\w+/g, '1')}`).all()
  return plan.map(({ detail }) => detail)
}

/** Steps that read a whole table. Lists that come as JSON are ours to read whole, and the lease is one row. */
function scansOf(sql: string): string[] {
  return stepsOf(sql).filter((step) => /^SCAN|AUTOMATIC/.test(step) && !/VIRTUAL TABLE|^SCAN lease$/.test(step))
}

/** The texts of all statements that are prepared meanwhile. */
function preparedBy(work: (db: Database) => unknown): string[] {
  const texts: string[] = []
  const listening = new Proxy(db, {
    get(target, member) {
      const value = Reflect.get(target, member, target)
      if (typeof value !== 'function') return value
      return (...values: unknown[]) => {
        if (member === 'prepare') texts.push(String(values[0]))
        return Reflect.apply(value, target, values)
      }
    },
  })
  work(listening)
  return texts
}

describe('query plans', () => {
  it('scan no table for a page, a walk, a project or a commit', () => {
    const texts = preparedBy((listening) => {
      prepareStatements(listening)
      prepareApproved(listening)
    })
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))).toEqual([])
  })

  it('scan no table for a run', () => {
    const texts = preparedBy((listening) => readRun(listening, 1))
    expect(texts.length).toBeGreaterThan(0)
    expect(texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))).toEqual([])
  })

  it('scan no table for a question, except for those about projects and runs', () => {
    const asOf = 1
    const identity = { project: payments, kind: 'endpoint', uid: 'a' } as const
    const texts = preparedBy((listening) => {
      latestScansAt(listening, asOf)
      completeScansAt(listening, payments, asOf)
      violationsAt(listening, asOf)
      resolvedBetween(listening, 0, asOf)
      firstViolations(listening, fifty)
      firstViolations(listening, { ...fifty, withOwner: true })
      visitViolations(listening, { ...fifty, withOwner: true, withText: true }, () => {})
      identifyViolations(listening, 'abc', asOf, 5)
      waivedBetween(listening, 0, asOf)
      stateAt(listening, payments, asOf)
      stateAt(listening, payments, asOf, 'endpoint')
      differing(listening, 0, asOf)
      visitDiffering(listening, 0, asOf, () => {})
      find(listening, 'a', asOf)
      endpointsOf(listening, 'me', asOf)
      versionsOf(listening, identity, asOf)
      violationsOf(listening, identity, asOf)
      for (const kind of ['endpoint', 'source', 'device'] as const) referrersOf(listening, { ...identity, kind }, asOf)
      endedRuns(listening, 10)
      runsBefore(listening, asOf, 10)
      runExtents(listening, asOf, asOf)
      committedRun(listening, asOf)
      countResources(listening, [payments], asOf)
      for (const withRemoved of [false, true]) {
        for (const kind of [undefined, 'endpoint'] as const) {
          for (const after of [undefined, identity]) {
            const choice = { run: asOf, projects: [payments], kind, withRemoved, after, most: 50 }
            listResources(listening, choice)
          }
        }
      }
    })
    expect(texts.length).toBeGreaterThan(0)
    const steps = texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))
    expect(steps.filter((step) => !/^SCAN (p|r|run)( USING| in)/.test(step))).toEqual([])
  })

  it('choose active violations within their index, and find the ended ones of a project by the run', () => {
    db.exec("INSERT INTO project VALUES (1, 'acme', 'p'); INSERT INTO scan VALUES (1, 1, 'acme/p')")
    const visited = { ...fifty, withText: false }
    for (const work of [
      (listening: Database) => firstViolations(listening, fifty),
      (listening: Database) => visitViolations(listening, visited, () => {}),
    ]) {
      const steps = preparedBy(work).flatMap(stepsOf)
      expect(steps).toContainEqual(
        expect.stringMatching(/^SEARCH x USING COVERING INDEX violation_\w+ \(project_id=\?\)$/),
      )
      expect(steps).toContain('SEARCH x USING INDEX violation_ended_in_project (project_id=? AND to_run>?)')
    }
  })

  it('read all resolved violations in the order of the table, and those of a period by their index', () => {
    const stepsAfter = (resolvedAfter: number) =>
      preparedBy((listening) => {
        visitViolations(listening, { ...fifty, resolvedAfter, withText: false }, () => {})
      }).flatMap(stepsOf)
    expect(stepsAfter(0)).toContain('SCAN x')
    expect(stepsAfter(1)).toContain('SEARCH x USING INDEX violation_ended (to_run>? AND to_run<?)')
    expect(stepsAfter(1)).not.toContain('SCAN x')
  })

  it('find referrers of a resource by their index', () => {
    const texts = preparedBy((listening) => {
      for (const kind of ['endpoint', 'source', 'device'] as const) {
        referrersOf(listening, { project: payments, kind, uid: 'a' }, 1)
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
