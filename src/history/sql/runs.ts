import type { ExitCode } from '../../model/errors.ts'
import type { ProjectRef } from '../../model/resource.ts'
import { type Move, moveOf } from '../lease-owner.ts'
import type { HistoryReader } from '../reader.ts'
import { compareText } from '../report-order.ts'
import { knownProjectIds } from './project-ids.ts'
import type { Session } from './session.ts'

export interface CommittedRun {
  readonly number: number
  /** ISO 8601, UTC. */
  readonly started_at: string
  readonly finished_at: string
}

/** One that is committed, was interrupted, or was pruned and stays listed: its counts are of what is left. */
export interface EndedRun extends CommittedRun, RunCounts {
  readonly state: 'committed' | 'interrupted' | 'pruned'
  readonly isCommitted: boolean
  /** null for an interrupted one, and in a history of some projects. */
  readonly exitCode: ExitCode | null
}

/** What a committed run walked and found changed in a project. */
export interface RunExtent extends RunCounts {
  readonly run: number
  /** With its name in that run. */
  readonly project: ProjectRef
}

interface RunCounts {
  readonly walks: number
  /** Walks that were neither complete nor skipped. */
  readonly incomplete: number
  readonly changes: number
  /** Violations that the run opened. */
  readonly opened: number
}

/** When the history was made: ISO 8601, UTC. Pruning does not change it, so it distinguishes histories. */
export async function readMadeAt(history: HistoryReader): Promise<string> {
  const time = 'SELECT applied_at FROM hookdrift.migration ORDER BY version LIMIT 1'
  return (await history.ask((session) => session.value<string>(time))) ?? ''
}

/** When runs were pruned last: ISO 8601, UTC; null: never. */
export async function lastPruning(session: Session): Promise<string | null> {
  const sql = 'SELECT made_at FROM hookdrift.checkpoint ORDER BY id DESC LIMIT 1'
  return (await session.value<string>(sql)) ?? null
}

/** Where the history was moved to; undefined where it was not. */
export function readMove(history: HistoryReader): Promise<Move | undefined> {
  return history.ask(moveIn)
}

/** The same, asked of a database. */
export async function moveIn(session: Session): Promise<Move | undefined> {
  return moveOf(await session.get('SELECT host, taken_at AS "takenAt" FROM hookdrift.lease'))
}

/** Which of some runs began after a time (ISO 8601, UTC), as they do where the clock was set back. */
export async function readLaterRuns(
  history: HistoryReader,
  runs: readonly number[],
  time: string,
): Promise<ReadonlySet<number>> {
  if (runs.length === 0) return new Set()
  const sql = 'SELECT number FROM hookdrift.run WHERE number = ANY($1) AND started_at > $2'
  return new Set(await history.ask((session) => session.column<number>(sql, [runs, time])))
}

/** Whether a run that began after a time (ISO 8601, UTC), and before another one, was pruned. */
export async function lacksRunsSince(history: HistoryReader, time: string, run: number): Promise<boolean> {
  return history.ask(async (session) => {
    const before = await session.value<number>(
      `SELECT number FROM hookdrift.run WHERE number < $1 AND started_at < $2 AND state <> 'pruned'
       ORDER BY number DESC LIMIT 1`,
      [run, time],
    )
    const first = before ?? 0
    const there = await session.value<number>(
      "SELECT count(*) FROM hookdrift.run WHERE number > $1 AND number < $2 AND state <> 'pruned'",
      [first, run],
    )
    return (there ?? 0) < run - 1 - first
  })
}

const committedSql = `SELECT number, started_at, finished_at FROM hookdrift.run
  WHERE state = 'committed'`

/** Committed runs, oldest first. */
export function listRuns(history: HistoryReader): Promise<readonly CommittedRun[]> {
  return history.ask(committedRuns)
}

/** The same, asked of a database. */
export function committedRuns(session: Session): Promise<CommittedRun[]> {
  return session.all(`${committedSql} ORDER BY number`)
}

/** The newest committed run; undefined when there is none. Reads one row, where `listRuns` may read millions. */
export function findLastRun(history: HistoryReader): Promise<CommittedRun | undefined> {
  return history.ask(lastRun)
}

/** The same, asked of a database. */
export function lastRun(session: Session): Promise<CommittedRun | undefined> {
  return session.get(`${committedSql} ORDER BY number DESC LIMIT 1`)
}

/** When some runs began and ended, also those that were pruned and of which others need the time; by their numbers. */
export async function readRunTimes(
  history: HistoryReader,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Omit<CommittedRun, 'number'>>> {
  const rows = await history.ask((session) =>
    session.all<CommittedRun>(`SELECT number, started_at, finished_at FROM hookdrift.run WHERE number = ANY($1)`, [
      numbers,
    ]),
  )
  return new Map(rows.map(({ number, ...times }) => [number, times]))
}

/** A committed run; undefined when there is none of that number. Reads one row, where `listRuns` may read millions. */
export function findCommittedRun(history: HistoryReader, number: number): Promise<CommittedRun | undefined> {
  return history.ask((session) => session.get(`${committedSql} AND number = $1`, [number]))
}

/** The committed run before another; undefined where there is none. */
export function findRunBefore(history: HistoryReader, number: number): Promise<CommittedRun | undefined> {
  return history.ask((session) => session.get(`${committedSql} AND number < $1 ORDER BY number DESC LIMIT 1`, [number]))
}

/** The committed run after another; undefined where there is none. */
export function findRunAfter(history: HistoryReader, number: number): Promise<CommittedRun | undefined> {
  return history.ask((session) => session.get(`${committedSql} AND number > $1 ORDER BY number LIMIT 1`, [number]))
}

/** The last `most` runs that ended, newest first, and how many there are in all. */
export function listEndedRuns(
  history: HistoryReader,
  most: number,
): Promise<{ readonly runs: readonly EndedRun[]; readonly total: number }> {
  return history.snapshot(async (session) => {
    const total = await session.value<number>("SELECT count(*) FROM hookdrift.run WHERE state <> 'running'")
    return { runs: await runsBefore(session, Number.MAX_SAFE_INTEGER, most), total: total ?? 0 }
  })
}

/** The last `most` of them before one, newest first. */
export function listRunsBefore(history: HistoryReader, run: number, most: number): Promise<readonly EndedRun[]> {
  return history.snapshot((session) => runsBefore(session, run, most))
}

/** A row for each violation that a run opened: with the run, and the id of its project. */
const openedSql = `(SELECT v.first_run AS run, v.project_id FROM hookdrift.violation v
  WHERE v.from_run = v.first_run AND v.state = 'open')`

async function runsBefore(session: Session, run: number, most: number): Promise<readonly EndedRun[]> {
  const rows = await session.all<Omit<EndedRun, 'isCommitted'>>(
    `SELECT r.number, r.started_at, r.finished_at, r.state, r.exit_code AS "exitCode",
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number) AS walks,
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number
          AND w.status NOT IN ('complete', 'skipped')) AS incomplete,
       (SELECT count(*) FROM hookdrift.change c WHERE c.run = r.number) AS changes,
       (SELECT count(*) FROM ${openedSql} o WHERE o.run = r.number) AS opened
     FROM hookdrift.run r WHERE r.state <> 'running' AND r.number < $1 ORDER BY r.number DESC LIMIT $2`,
    [run, most],
  )
  return rows.map((ended) => ({ ...ended, isCommitted: ended.state === 'committed' }))
}

const ofRun = `JOIN hookdrift.scan s ON s.run = x.run AND s.project_id = x.project_id
  JOIN hookdrift.project p ON p.id = x.project_id JOIN hookdrift.run r ON r.number = x.run AND r.state = 'committed'
  WHERE x.run BETWEEN $1 AND $2 GROUP BY x.run, s.name, p.service, p.uid`

/** A row of a project in a run, with some of the counts. */
interface CountedRow extends ProjectRef, Partial<RunCounts> {
  readonly run: number
}

/** What committed runs, from one number to another, walked and found changed: a row for each project that one scanned. */
export function readRunExtents(history: HistoryReader, first: number, last: number): Promise<readonly RunExtent[]> {
  return history.snapshot((session) => extentsOf(session, first, last))
}

/** How many walks of some projects were neither complete nor skipped, by the committed runs that scanned one of them. */
export function countIncompleteWalks(
  history: HistoryReader,
  projects: readonly ProjectRef[],
  first: number,
  last: number,
): Promise<ReadonlyMap<number, number>> {
  return history.snapshot(async (session) => {
    const ids = await knownProjectIds(session, projects)
    const counts = await session.all<Pick<RunExtent, 'run' | 'incomplete'>>(
      `SELECT s.run, count(w.run) AS incomplete FROM hookdrift.scan s
       JOIN hookdrift.run r ON r.number = s.run AND r.state = 'committed'
       LEFT JOIN hookdrift.walk w ON w.run = s.run AND w.project_id = s.project_id
         AND w.status NOT IN ('complete', 'skipped')
       WHERE s.project_id = ANY($1) AND s.run BETWEEN $2 AND $3 GROUP BY s.run`,
      [[...ids.values()], first, last],
    )
    return new Map(counts.map(({ run, incomplete }) => [run, incomplete]))
  })
}

async function extentsOf(session: Session, first: number, last: number): Promise<RunExtent[]> {
  const ask = (counts: string) =>
    session.all<CountedRow>(`SELECT x.run, s.name, p.service, p.uid, ${counts} ${ofRun}`, [first, last])
  return addUpExtents([
    ...(await ask(`count(*) AS walks, count(*) FILTER (WHERE x.status NOT IN ('complete', 'skipped')) AS incomplete
      FROM hookdrift.walk x`)),
    ...(await ask('count(*) AS changes FROM hookdrift.change x')),
    ...(await ask(`count(*) AS opened FROM ${openedSql} x`)),
  ])
}

/** Adds up the rows of each project in a run; sorted by run and name. */
function addUpExtents(rows: readonly CountedRow[]): RunExtent[] {
  const rowsByScan = Map.groupBy(rows, ({ run, service, uid }) => JSON.stringify([run, service, uid]))
  return [...rowsByScan.values()]
    .flatMap((alike) => {
      const [first] = alike
      if (first === undefined) return []
      const { run, name, service, uid } = first
      return [{ run, project: { name, service, uid }, ...addUp(alike) }]
    })
    .sort((a, b) => a.run - b.run || compareText(a.project.name, b.project.name))
}

function addUp(rows: readonly Partial<RunCounts>[]): RunCounts {
  const sum = (member: keyof RunCounts) => rows.reduce((total, row) => total + (row[member] ?? 0), 0)
  return { walks: sum('walks'), incomplete: sum('incomplete'), changes: sum('changes'), opened: sum('opened') }
}
