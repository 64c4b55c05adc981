import type { ProjectRef } from '../../model/resource.ts'
import { type Move, moveOf } from '../lease-owner.ts'
import type { CommittedRun, EndedRun, RunExtent } from '../reader.ts'
import { compareText } from '../report-order.ts'
import type { Session } from './session.ts'

/** When the first step made its schema. */
export async function madeAt(session: Session): Promise<string> {
  return (await session.value<string>('SELECT applied_at FROM hookdrift.migration ORDER BY version LIMIT 1')) ?? ''
}

/** Where the history was moved to; undefined where it was not. */
export async function readMove(session: Session): Promise<Move | undefined> {
  return moveOf(await session.get('SELECT host, taken_at AS "takenAt" FROM hookdrift.lease'))
}

const committedSql = `SELECT number, started_at AS "startedAt", finished_at AS "finishedAt" FROM hookdrift.run
  WHERE state = 'committed'`

/** Oldest first. */
export function committedRuns(session: Session): Promise<CommittedRun[]> {
  return session.all(`${committedSql} ORDER BY number`)
}

/** Reads one row. */
export function lastRun(session: Session): Promise<CommittedRun | undefined> {
  return session.get(`${committedSql} ORDER BY number DESC LIMIT 1`)
}

export function committedRun(session: Session, number: number): Promise<CommittedRun | undefined> {
  return session.get(`${committedSql} AND number = $1`, [number])
}

/** The last runs that ended, newest first, with the number of their walks and changes. */
export async function endedRuns(session: Session, most: number): Promise<{ runs: EndedRun[]; total: number }> {
  const runs = await runsBefore(session, Number.MAX_SAFE_INTEGER, most)
  const total = await session.value<number>(
    "SELECT count(*) FROM hookdrift.run WHERE state IN ('committed', 'interrupted')",
  )
  return { runs, total: total ?? 0 }
}

/** Those before a run. */
export async function runsBefore(session: Session, run: number, most: number): Promise<EndedRun[]> {
  const rows = await session.all<Omit<EndedRun, 'isCommitted'> & { readonly state: string }>(
    `SELECT r.number, r.started_at AS "startedAt", r.finished_at AS "finishedAt", r.state, r.exit_code AS "exitCode",
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number) AS walks,
       (SELECT count(*) FROM hookdrift.walk w WHERE w.run = r.number
          AND w.status NOT IN ('complete', 'skipped')) AS incomplete,
       (SELECT count(*) FROM hookdrift.change c WHERE c.run = r.number) AS changes
     FROM hookdrift.run r WHERE r.state IN ('committed', 'interrupted') AND r.number < $1 ORDER BY r.number DESC LIMIT $2`,
    [run, most],
  )
  return rows.map(({ state, ...ended }) => ({ ...ended, isCommitted: state === 'committed' }))
}

const ofRun = `JOIN hookdrift.scan s ON s.run = x.run AND s.project_id = x.project_id
  JOIN hookdrift.project p ON p.id = x.project_id JOIN hookdrift.run r ON r.number = x.run AND r.state = 'committed'
  WHERE x.run BETWEEN $1 AND $2 GROUP BY x.run, s.name, p.service, p.uid`

/** A row of a project in a run, with some of the counts. */
interface CountedRow extends ProjectRef, Partial<Pick<RunExtent, 'walks' | 'incomplete' | 'changes'>> {
  readonly run: number
}

/** Of committed runs, by project. */
export async function runExtents(session: Session, first: number, last: number): Promise<RunExtent[]> {
  const ask = (counts: string) =>
    session.all<CountedRow>(`SELECT x.run, s.name, p.service, p.uid, ${counts} ${ofRun}`, [first, last])
  return addUpExtents([
    ...(await ask(`count(*) AS walks, count(*) FILTER (WHERE x.status NOT IN ('complete', 'skipped')) AS incomplete
      FROM hookdrift.walk x`)),
    ...(await ask('count(*) AS changes FROM hookdrift.change x')),
  ])
}

/** Adds up the rows of each project in a run; sorted by run and name. */
function addUpExtents(rows: readonly CountedRow[]): RunExtent[] {
  const found = Map.groupBy(rows, ({ run, service, uid }) => JSON.stringify([run, service, uid]))
  return [...found.values()]
    .flatMap((alike) => {
      const [first] = alike
      if (first === undefined) return []
      const { run, name, service, uid } = first
      const sum = (member: 'walks' | 'incomplete' | 'changes') =>
        alike.reduce((total, row) => total + (row[member] ?? 0), 0)
      const counts = { walks: sum('walks'), incomplete: sum('incomplete'), changes: sum('changes') }
      return [{ run, project: { name, service, uid }, ...counts }]
    })
    .sort((a, b) => a.run - b.run || compareText(a.project.name, b.project.name))
}
