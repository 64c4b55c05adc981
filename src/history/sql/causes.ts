import {
  type Cause,
  type FollowingViolation,
  findCauses,
  followCauses,
  inWeightOrder,
  type OwnedChange,
  openCauses,
  runOfCause,
} from '../../model/cause.ts'
import type { FieldChange } from '../../model/change.ts'
import type { HistoryReader } from '../reader.ts'
import { seenCauses } from '../visibility.ts'
import { lastScanSql } from './fragments.ts'
import type { Session } from './session.ts'
import { activeAsOf, ownerSql, projectNamesAt } from './violations.ts'

/** What a run found, and the causes of earlier ones that are open: each project as of its last scan. The worst first. */
export function readCausesAt(history: HistoryReader, run: number): Promise<readonly Cause[]> {
  return history.snapshot(async (session) => {
    const causes = await causesAt(session, {
      run,
      scans: lastScanSql('$1'),
      nameOf: await projectNamesAt(session, run),
    })
    return seenCauses(causes, history.visibility)
  })
}

/** The same of the projects that a run scanned. */
export async function causesOfRun(session: Session, run: number): Promise<Cause[]> {
  const scans = 'SELECT project_id AS id, run, name FROM hookdrift.scan WHERE run = $1'
  const rows = await session.all<{ readonly id: number; readonly name: string }>(scans, [run])
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  // A project that it did not scan is not part of its causes, and differs from others all the same.
  return causesAt(session, { run, scans, nameOf: (id) => names.get(id) ?? `#${id}` })
}

/**
 * The cause with an id, as of a run, also where no violation follows from it. undefined when there is none, or all of it
 * is mended.
 */
export async function readCause(history: HistoryReader, id: string, run: number): Promise<Cause | undefined> {
  const first = runOfCause(id)
  if (first === undefined || first > run) return undefined
  const causes = await history.snapshot(async (session) => {
    const nameOf = await projectNamesAt(session, run)
    const named = findCauses(first, await changesOf(session, first, nameOf)).filter((cause) => cause.id === id)
    const opened = await violationsOpenedBy(session, { run, scans: lastScanSql('$1'), nameOf }, [first])
    return followCauses(named, { violations: opened, later: await laterChanges(session, first, run, nameOf) })
  })
  return seenCauses(causes, history.visibility)[0]
}

type NameOf = (projectId: number) => string

interface AsOf {
  readonly run: number
  /** SQL of the scans as of which violations are active. */
  readonly scans: string
  readonly nameOf: NameOf
}

async function causesAt(session: Session, { run, scans, nameOf }: AsOf): Promise<Cause[]> {
  const opened = await violationsOpenedBy(session, { run, scans, nameOf }, await runsWithChanges(session, run))
  const violationsOf = Map.groupBy(opened, ({ firstRun }) => firstRun)
  const causes: Cause[] = []
  for (const first of new Set([run, ...violationsOf.keys()])) {
    const found = findCauses(first, await changesOf(session, first, nameOf))
    const violations = violationsOf.get(first) ?? []
    if (found.length === 0) continue
    causes.push(
      ...(first === run
        ? followCauses(found, { violations, later: [] })
        : openCauses(found, { violations, later: await laterChanges(session, first, run, nameOf) })),
    )
  }
  return inWeightOrder(causes)
}

async function runsWithChanges(session: Session, run: number): Promise<number[]> {
  const rows = await session.all<{ readonly number: number }>(
    `SELECT r.number FROM hookdrift.run r WHERE r.number <= $1
       AND (SELECT 1 FROM hookdrift.change c WHERE c.run = r.number LIMIT 1) IS NOT NULL`,
    [run],
  )
  return rows.map(({ number }) => number)
}

/** Violations that some runs opened, as far as they are active. */
async function violationsOpenedBy(session: Session, { run, scans, nameOf }: AsOf, runs: readonly number[]) {
  if (runs.length === 0) return []
  const also = (row: string) => `${row}.first_run = ANY($2)`
  const rows = await session.all<
    Omit<FollowingViolation, 'project'> & { readonly projectId: number; readonly firstRun: number }
  >(
    activeAsOf(
      session,
      { scans, isWhole: true, also },
      (from) => `SELECT x.project_id AS "projectId", x.kind, x.uid, x.path, x.rule, x.fingerprint, x.severity,
        x.first_run AS "firstRun" FROM ${from}`,
    ),
    [run, runs],
  )
  return rows.map(({ projectId, ...violation }) => ({ ...violation, project: nameOf(projectId) }))
}

/** The changes of a run, each with the owner that it hit. */
async function changesOf(session: Session, run: number, nameOf: NameOf): Promise<OwnedChange[]> {
  const rows = await session.all<Omit<OwnedChange, 'fields' | 'project'> & { projectId: number; fields: string }>(
    `SELECT x.project_id AS "projectId", x.kind, x.uid, x.name, x.change, x.fields,
       ${ownerSql("(x.run - CASE x.change WHEN 'removed' THEN 1 ELSE 0 END)")} AS owner
     FROM hookdrift.change x WHERE x.run = $1 ORDER BY x.project_id, x.kind, x.uid`,
    [run],
  )
  return rows.map(({ projectId, fields, owner, ...change }) => ({
    ...change,
    project: nameOf(projectId),
    owner: typeof owner === 'string' ? owner : null,
    fields: fieldsFrom(fields),
  }))
}

/** Changes of the resources that a run saw changed, in the runs after it up to another one. */
async function laterChanges(session: Session, first: number, run: number, nameOf: NameOf) {
  const rows = await session.all<Pick<OwnedChange, 'kind' | 'uid' | 'change'> & { projectId: number; fields: string }>(
    `SELECT l.project_id AS "projectId", l.kind, l.uid, l.change, l.fields
     FROM hookdrift.change c CROSS JOIN hookdrift.change l
     WHERE c.run = $1 AND l.project_id = c.project_id AND l.kind = c.kind AND l.uid = c.uid AND l.run > $1 AND l.run <= $2`,
    [first, run],
  )
  return rows.map(({ projectId, fields, ...change }) => ({
    ...change,
    project: nameOf(projectId),
    fields: fieldsFrom(fields),
  }))
}

/** Hookdrift wrote the JSON. */
function fieldsFrom(json: string): FieldChange[] {
  return JSON.parse(json)
}
