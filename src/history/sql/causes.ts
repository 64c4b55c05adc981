import type { FieldChange } from '../../model/change.ts'
import {
  type Cause,
  type ChangeWithOwner,
  type FollowingViolation,
  findCauses,
  followCauses,
  inWeightOrder,
  openCauses,
  runOfCause,
} from '../cause.ts'
import type { HistoryReader } from '../reader.ts'
import { lastScanSql } from './fragments.ts'
import type { Session } from './session.ts'
import { activeAsOf, ownerOfChange, projectNamesAt } from './violations.ts'

/** What a run found, and the causes of earlier ones that are open: each project as of its last scan. The worst first. */
export function readCausesAt(history: HistoryReader, run: number): Promise<readonly Cause[]> {
  return history.snapshot(async (session) => causesAt(session, await asOfRun(session, run)))
}

async function asOfRun(session: Session, run: number): Promise<AsOf> {
  return { run, scans: lastScanSql('$1'), nameOf: await projectNamesAt(session, run) }
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
 * The cause with an id, as of a run. undefined when there is none; `over` where nothing that is open follows from it any
 * longer.
 */
export async function readCause(history: HistoryReader, id: string, run: number): Promise<Cause | 'over' | undefined> {
  const first = runOfCause(id)
  if (first === undefined || first > run) return undefined
  return history.snapshot(async (session) => {
    const asOf = await asOfRun(session, run)
    const { nameOf } = asOf
    const named = await causesNamed(session, id, first, asOf)
    if (named.length === 0) return undefined
    // One that a person accepted and revoked is open again since then, with the same origin.
    const isOfChange = (row: string) =>
      `(${row}.first_run = ANY($2) OR (${row}.origin_run < ${first} AND ${row}.first_run > ${first}))`
    const violations = await violationsOpenedBy(session, asOf, [first], isOfChange)
    const fixed = await violationsFixedBy(session, [first], nameOf)
    return (
      followCauses(named, { violations, fixed, later: await laterChanges(session, [first], run, nameOf) })[0] ?? 'over'
    )
  })
}

/** What the change of that id did, whether it is mended or not; undefined when there is none as of a run. */
export async function readChangeOfCause(history: HistoryReader, id: string, run: number): Promise<Cause | undefined> {
  const first = runOfCause(id)
  if (first === undefined || first > run) return undefined
  return history.snapshot(async (session) => (await causesNamed(session, id, first, await asOfRun(session, run)))[0])
}

async function causesNamed(session: Session, id: string, first: number, { nameOf }: AsOf): Promise<readonly Cause[]> {
  return findCauses(first, await changesOf(session, [first], nameOf)).filter((cause) => cause.id === id)
}

type NameOf = (projectId: number) => string

interface AsOf {
  readonly run: number
  /** SQL of the scans as of which violations are active. */
  readonly scans: string
  readonly nameOf: NameOf
}

async function causesAt(session: Session, asOf: AsOf): Promise<Cause[]> {
  const { run, nameOf } = asOf
  const opened = await violationsOpenedBy(session, asOf, await runsWithChanges(session, run))
  const earlier = new Set(opened.map(({ firstRun }) => firstRun))
  earlier.delete(run)
  const changes = Map.groupBy(await changesOf(session, [...earlier, run], nameOf), (change) => change.run)
  const later = Map.groupBy(await laterChanges(session, [...earlier], run, nameOf), ({ after }) => after)
  const violationsOf = Map.groupBy(opened, ({ firstRun }) => firstRun)
  const fixedBy = Map.groupBy(await violationsFixedBy(session, [...changes.keys()], nameOf), ({ fixedIn }) => fixedIn)
  const causes = [...changes].flatMap(([first, ofRun]) => {
    const aftermath = {
      violations: violationsOf.get(first) ?? [],
      fixed: fixedBy.get(first) ?? [],
      later: later.get(first) ?? [],
    }
    return (first === run ? followCauses : openCauses)(findCauses(first, ofRun), aftermath)
  })
  return inWeightOrder(causes)
}

function runsWithChanges(session: Session, run: number): Promise<number[]> {
  return session.column(
    `SELECT r.number FROM hookdrift.run r WHERE r.number <= $1
       AND (SELECT 1 FROM hookdrift.change c WHERE c.run = r.number LIMIT 1) IS NOT NULL`,
    [run],
  )
}

/** Violations that some runs opened, as far as they are active. `also`: a condition for others than these. */
async function violationsOpenedBy(
  session: Session,
  { run, scans, nameOf }: AsOf,
  runs: readonly number[],
  also = (row: string) => `${row}.first_run = ANY($2)`,
) {
  if (runs.length === 0) return []
  const rows = await session.all<Omit<FollowingViolation, 'project'> & OfProject & { readonly firstRun: number }>(
    activeAsOf(
      session,
      { scans, isWhole: true, also },
      (from) => `SELECT x.project_id AS "projectId", x.kind, x.uid, x.path, x.rule, x.fingerprint, x.severity,
        x.first_run AS "firstRun" FROM ${from}`,
    ),
    [run, runs],
  )
  return rows.map(withName(nameOf))
}

/** What some runs found put right. */
async function violationsFixedBy(session: Session, runs: readonly number[], nameOf: NameOf) {
  const rows = await session.all<
    Pick<FollowingViolation, 'kind' | 'uid' | 'path'> & OfProject & { readonly fixedIn: number }
  >(
    `SELECT x.project_id AS "projectId", x.kind, x.uid, x.path, x.to_run AS "fixedIn" FROM hookdrift.violation x
     WHERE x.to_run = ANY($1) AND x.resolution = 'fixed'`,
    [runs],
  )
  return rows.map(withName(nameOf))
}

/** A row of changes. */
type ChangeRow = Omit<ChangeWithOwner, 'fields' | 'project' | 'owner'> & OfProject & { readonly fields: string }

/** The changes of some runs, each with the owner that it hit. */
async function changesOf(session: Session, runs: readonly number[], nameOf: NameOf) {
  const rows = await session.all<ChangeRow & { readonly run: number; readonly owner: unknown }>(
    `SELECT x.run, x.project_id AS "projectId", x.kind, x.uid, x.name, x.change, x.fields,
       coalesce(x.owner, ${ownerOfChange}) AS owner
     FROM hookdrift.change x WHERE x.run = ANY($1) ORDER BY x.run, x.project_id, x.kind, x.uid`,
    [runs],
  )
  return rows.map(({ owner, ...row }) => ({
    ...toChange(row, nameOf),
    owner: typeof owner === 'string' ? owner : null,
  }))
}

/** Changes of the resources that some runs saw changed, in the runs after each of them up to another one. */
async function laterChanges(session: Session, runs: readonly number[], run: number, nameOf: NameOf) {
  if (runs.length === 0) return []
  const rows = await session.all<ChangeRow & { readonly after: number }>(
    `SELECT c.run AS after, l.project_id AS "projectId", l.kind, l.uid, l.name, l.change, l.fields
     FROM hookdrift.change c CROSS JOIN hookdrift.change l
     WHERE c.run = ANY($1) AND l.project_id = c.project_id AND l.kind = c.kind AND l.uid = c.uid AND l.run > c.run
       AND l.run <= $2`,
    [runs, run],
  )
  return rows.map((row) => toChange(row, nameOf))
}

function toChange<Row extends ChangeRow>(row: Row, nameOf: NameOf) {
  // Hookdrift wrote the JSON.
  const fields: FieldChange[] = JSON.parse(row.fields)
  return { ...withName(nameOf)(row), fields }
}

/** Names the project of a row. */
function withName(nameOf: NameOf) {
  return <Row extends OfProject>({ projectId, ...row }: Row) => ({ ...row, project: nameOf(projectId) })
}

interface OfProject {
  readonly projectId: number
}
