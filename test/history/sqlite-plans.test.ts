import type { Database } from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { prepareStatements } from '../../src/history/sqlite/draft-statements.ts'
import { openDatabase } from '../../src/history/sqlite/open-database.ts'
import { readRun } from '../../src/history/sqlite/read-run.ts'
import { aDatabasePath } from './a-database.ts'
import { at } from './samples.ts'

const { file, remove } = aDatabasePath()
let db: Database
beforeAll(() => {
  db = openDatabase(file, at(0))
  db.exec(`INSERT INTO run VALUES (1, 'sealed', '', '', 0, '', '', '', '', '', 0, 0, NULL, NULL)`)
})
afterAll(() => {
  db.close()
  remove()
})

/** Steps that read a whole table. Lists that come as JSON are ours to read whole, and the lease is one row. */
function scansOf(sql: string): string[] {
  const plan = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql.replace(/\?|@\w+/g, '1')}`).all()
  const steps = plan.map(({ detail }) => detail)
  return steps.filter((step) => /^SCAN|AUTOMATIC/.test(step) && !/VIRTUAL TABLE|^SCAN lease$/.test(step))
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
  it('read no table whole for a page, a walk, a project or a seal', () => {
    const texts = preparedBy((listening) => prepareStatements(listening))
    expect(texts.length).toBeGreaterThan(20)
    expect(texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))).toEqual([])
  })

  it('read no table whole for a run', () => {
    const texts = preparedBy((listening) => readRun(listening, 1))
    expect(texts).toHaveLength(7)
    expect(texts.flatMap((sql) => scansOf(sql).map((step) => `${step} in ${sql}`))).toEqual([])
  })

  it('would be told if they did', () => {
    expect(scansOf('SELECT * FROM version WHERE name = ?')).toEqual(['SCAN version'])
  })
})
