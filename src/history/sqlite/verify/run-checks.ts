import type { Database } from 'better-sqlite3'
import type { ExitCode } from '../../../model/errors.ts'
import { findBrokenLinks, prunedRuns, rangesOf } from '../../chain/links.ts'
import type { WrittenRun } from '../../records.ts'
import { readRun } from '../../sql/read-run.ts'
import { SqliteDatabase } from '../sqlite-database.ts'
import { type Check, sentences } from './check.ts'

/** About runs as a whole. `exitCodeOf` gives the exit code that a run's record calls for. */
export const runChecks = (exitCodeOf: (record: WrittenRun) => ExitCode): readonly Check[] => [
  {
    id: 'I1',
    invariant: 'every run is committed or invisible',
    means: 'an uncommitted run is visible, or a committed one is incomplete: reports of it cannot be trusted',
    find: (db) =>
      sentences<{ readonly run: number; readonly what: string }>(
        db,
        uncommittedSql,
        ({ run, what }) => `run ${run} ${what}`,
      ),
  },
  {
    id: 'I6',
    invariant: 'runs vanish only by pruning, which leaves a record',
    means: 'runs were deleted: no report shows what they found',
    find: findVanishedRuns,
  },
  {
    id: 'I8',
    invariant: 'the exit code of every run matches its record',
    means: 'the exit code of the run contradicts its report',
    async *find(db, depth) {
      const session = new SqliteDatabase(db)
      const runs = db.prepare<[], { number: number; exitCode: number | null }>(
        `SELECT number, exit_code AS exitCode FROM run WHERE state = 'committed'
         ORDER BY number DESC ${depth === 'deep' ? '' : 'LIMIT 1'}`,
      )
      for (const { number, exitCode } of runs.all().reverse()) {
        const record = await readRun(session, number)
        if (record === undefined) continue
        const expected = exitCodeOf(record)
        if (expected !== exitCode)
          yield `run ${number} is recorded with exit code ${exitCode}, its record calls for ${expected}`
      }
    },
  },
  {
    id: 'I10',
    invariant: 'every run is as it was committed',
    means:
      'rows were altered after their commit: nothing is proven of the named runs and of what they began; earlier runs are intact, and so is what later runs wrote',
    async *find(db) {
      for await (const { text } of findBrokenLinks(new SqliteDatabase(db))) yield text
    },
  },
]

const uncommittedSql = `
  SELECT number AS run, 'is committed and has no end or no exit code' AS what FROM run
    WHERE state = 'committed' AND (finished_at IS NULL OR exit_code IS NULL)
  UNION ALL SELECT number, 'is ' || state FROM run WHERE state NOT IN ('running', 'committed', 'interrupted', 'pruned')
  UNION ALL SELECT max(number), 'is running, and so is another run' FROM run WHERE state = 'running' HAVING count(*) > 1
  ${['walk', 'scan', 'change', 'notice', 'withheld_removal']
    .map(
      (table) => `
  UNION ALL SELECT t.run, 'was interrupted and left rows in ${table}' FROM run r JOIN ${table} t ON t.run = r.number
    WHERE r.state = 'interrupted'`,
    )
    .join('')}
  ${['version', 'violation', 'unreferenced']
    .map(
      (table) => `
  UNION ALL SELECT r.number, 'was interrupted and left ' || t.kind || ' ' || t.uid || ' in ${table}'
    FROM run r JOIN ${table} t ON t.from_run = r.number WHERE r.state = 'interrupted'
  UNION ALL SELECT r.number, 'is not committed and ended ' || t.kind || ' ' || t.uid || ' in ${table}'
    FROM run r JOIN ${table} t ON t.to_run = r.number WHERE r.state IN ('interrupted', 'running')`,
    )
    .join('')}
  ORDER BY run`

async function* findVanishedRuns(db: Database): AsyncGenerator<string> {
  const pruned = await prunedRuns(new SqliteDatabase(db))
  const there = db.prepare<[], { number: number; state: string }>('SELECT number, state FROM run ORDER BY number').all()
  const numbers = new Map(there.map(({ number, state }) => [number, state]))
  const missing: number[] = []
  for (let run = 1; run < (there.at(-1)?.number ?? 0); run += 1) {
    if (!numbers.has(run) && !pruned(run)) missing.push(run)
  }
  for (const [from, to] of rangesOf(missing)) {
    yield from === to
      ? `run ${from} is missing, and no pruning says so`
      : `runs ${from} to ${to} are missing, and no pruning says so`
  }
  for (const { number, state } of there) {
    if (state === 'pruned' && !pruned(number)) yield `run ${number} is marked as pruned, and no pruning says so`
    if (state !== 'pruned' && pruned(number)) yield `run ${number} is there, and a pruning says that it went`
  }
}
