import type { Change, ChangeTimes } from '../../model/change.ts'
import { type Kind, kinds, type ProjectRef } from '../../model/resource.ts'
import type { HistoryReader } from '../reader.ts'
import type { RecordedViolation } from '../records.ts'
import { byKindAndUid, compareText } from '../report-order.ts'
import { parseStored } from '../stored-body.ts'
import { toRecordedViolation } from '../stored-violation.ts'
import { changeTimesSql, isLastSql, lastScanSql, projectIdSql } from './fragments.ts'
import { lastScansAt } from './scans.ts'
import type { Session } from './session.ts'
import type { StateVersion } from './state-at.ts'

export interface Identity {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
}

export interface NamedIdentity extends Identity {
  /** Its last name by then. */
  readonly name: string
}

export interface IdentityMatch extends NamedIdentity {
  /** Whether it ever had the name that is searched, by then. */
  readonly isNamed: boolean
}

/** Which runs wrote and ended it, and their starts. */
interface Span {
  readonly fromRun: number
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
}

export interface VersionSpan extends StateVersion, Span {
  /** Whether the run that wrote it reported the resource as added, and whether the one that ended it did as removed. */
  readonly isAdded: boolean
  readonly isRemoved: boolean
  /** Whether it replaces an earlier version, which may be pruned. */
  readonly isContinued: boolean
}

export interface ViolationSpan
  extends Span,
    Omit<RecordedViolation, 'project' | 'owner' | 'first_seen' | 'last_seen' | 'state'> {
  /** The run whose scan shows the value before the change that a drift rule found. */
  readonly originRun?: number
  readonly state: 'open' | 'unknown' | 'waived'
  /** Whether it continues an earlier span, and whether a later one continues it; these may be pruned. */
  readonly isContinued: boolean
  readonly goesOn: boolean
}

export interface Referrer extends Span {
  readonly uid: string
  readonly name: string
}

interface LocatedRow {
  readonly kind: Kind
  readonly project: string
  readonly service: string
  readonly projectUid: string
}

/**
 * Every project and kind in which a uid was seen, as of a run: one index lookup for each. By its violations, also what was
 * only in a list: a project without an entry.
 */
export async function identifyResources(
  history: HistoryReader,
  uid: string,
  run: number,
  seenIn: 'version' | 'violation' = 'version',
): Promise<readonly Identity[]> {
  const identities = await history.ask((session) =>
    session.all<LocatedRow>(
      `SELECT DISTINCT v.kind, l.name AS project, l.service, l.uid AS "projectUid"
       FROM (${lastScanSql('$2')}) l CROSS JOIN hookdrift.${seenIn} v
       WHERE v.project_id = l.id AND v.kind = ANY($3) AND v.uid = $1 AND v.from_run <= $2`,
      [uid, run, kinds],
    ),
  )
  return identities
    .map(({ project: name, service, projectUid, kind }) => ({ project: { name, service, uid: projectUid }, kind, uid }))
    .sort((a, b) => compareText(a.project.name, b.project.name) || compareText(a.kind, b.kind))
}

/**
 * Resources that had a name by a run, or whose uid or name begins with that text; removed ones too. Sorted as those of
 * `identifyResources`. Reads the names of all versions: a question of a person, asked when a uid was not found.
 */
export function searchResources(history: HistoryReader, text: string, run: number): Promise<readonly IdentityMatch[]> {
  return history.snapshot((session) => search(session, text, run))
}

async function search(session: Session, text: string, run: number): Promise<IdentityMatch[]> {
  const projects = new Map(
    (await lastScansAt(session, run)).map(({ id, name, service, uid }) => [id, { name, service, uid }]),
  )
  const rows = await session.all<{ projectId: number; kind: Kind; uid: string; name: string; named: number }>(
    `SELECT v.project_id AS "projectId", v.kind, v.uid, v.name, f.named FROM (
       SELECT x.project_id, x.kind, x.uid, max(CASE WHEN x.name = $1 THEN 1 ELSE 0 END) AS named
       FROM hookdrift.version x WHERE x.from_run <= $2
         AND (x.name = $1 OR substr(x.uid, 1, length($1)) = $1 OR substr(x.name, 1, length($1)) = $1)
       GROUP BY x.project_id, x.kind, x.uid) f
     JOIN hookdrift.version v ON v.project_id = f.project_id AND v.kind = f.kind AND v.uid = f.uid
     WHERE ${isLastSql('v', '$2')}`,
    [text, run],
  )
  return rows
    .flatMap(({ projectId, named, ...row }) => {
      const project = projects.get(projectId)
      return project === undefined ? [] : [{ project, ...row, isNamed: named === 1 }]
    })
    .sort((a, b) => compareText(a.project.name, b.project.name) || byKindAndUid(a, b))
}

/**
 * SQL of rows `x` of a resource, with the runs that began them and, as of the run that is asked for, ended them: later
 * ends are unknown.
 */
function spansSql(table: 'version' | 'violation', columns: string, ofResource = 'x.kind = $3 AND x.uid = $4'): string {
  return `SELECT ${columns}, x.from_run AS "fromRun", r.started_at AS "from", e.number AS "toRun", e.started_at AS "to"
    FROM hookdrift.${table} x CROSS JOIN hookdrift.run r
      LEFT JOIN hookdrift.run e ON e.number = x.to_run AND e.number <= $5
    WHERE x.project_id = ${projectIdSql('$1', '$2')} AND ${ofResource} AND x.from_run <= $5 AND r.number = x.from_run`
}

function valuesOf({ project, kind, uid }: Identity, run: number) {
  return [project.service, project.uid, kind, uid, run]
}

/** All versions of a resource as of a run, oldest first. */
export async function readVersionsOf(
  history: HistoryReader,
  identity: Identity,
  run: number,
): Promise<readonly VersionSpan[]> {
  const countOf = (change: string, run: string) => `(SELECT count(*) FROM hookdrift.change c
    WHERE c.project_id = x.project_id AND c.kind = x.kind AND c.uid = x.uid AND c.run = ${run} AND c.change = '${change}')`
  const columns = `x.name, x.digest, x.body, x.facts, r.seal_key_id AS "sealKeyId", x.replaces,
    ${countOf('added', 'x.from_run')} AS added, ${countOf('removed', 'e.number')} AS removed`
  const sql = `${spansSql('version', columns)} ORDER BY x.from_run`
  const rows = await history.ask((session) => session.all<VersionRow>(sql, valuesOf(identity, run)))
  return rows.map(({ added, removed, replaces, ...row }) => {
    return { ...row, isAdded: added > 0, isRemoved: removed > 0, isContinued: replaces !== null }
  })
}

type VersionRow = Omit<VersionSpan, 'isAdded' | 'isRemoved' | 'isContinued'> & {
  readonly added: number
  readonly removed: number
  readonly replaces: number | null
}

/** Whether a resource was there from one of its versions to the next one that is left: what was between may be pruned. */
export function isFollowedBy(version: VersionSpan, next: VersionSpan): boolean {
  return version.toRun === next.fromRun || (next.isContinued && !version.isRemoved)
}

/** A change of a resource as a run reported it: what it was before and after may be pruned. */
export interface ReportedChange extends Pick<Change, 'name' | 'change' | 'fields'> {
  /** Start of the run. */
  readonly at: string
  readonly isOfPrunedRun: boolean
  readonly between: ChangeTimes
}

type ReportedRow = ChangeTimes &
  Pick<Change, 'name' | 'change'> & { run: number; at: string; state: string; fields: string }

/** The changes of a resource, by the run that reported them. Those that nothing names go with their runs. */
export async function readChangesOf(
  history: HistoryReader,
  identity: Identity,
  run: number,
): Promise<ReadonlyMap<number, ReportedChange>> {
  const rows = await history.ask((session) =>
    session.all<ReportedRow>(
      `SELECT c.run, r.started_at AS "at", r.state, c.name, c.change, c.fields, ${changeTimesSql}
       FROM hookdrift.change c CROSS JOIN hookdrift.run r
       WHERE c.project_id = ${projectIdSql('$1', '$2')} AND c.kind = $3 AND c.uid = $4 AND c.run <= $5
         AND r.number = c.run AND r.state IN ('committed', 'pruned')`,
      valuesOf(identity, run),
    ),
  )
  return new Map(
    rows.map(({ run, at, state, name, change, fields, ...between }) => [
      run,
      { at, name, change, fields: parseStored(fields), isOfPrunedRun: state === 'pruned', between },
    ]),
  )
}

type SpanRow = Omit<ViolationSpan, 'waiver' | 'ended_by' | 'originRun' | 'isContinued' | 'goesOn'> & {
  readonly waiver: string | null
  readonly ended_by: string | null
  readonly originRun: number | null
  readonly replaces: number | null
}

/** All spans of a resource's violations as of a run, oldest first. */
export async function readViolationsOf(
  history: HistoryReader,
  identity: Identity,
  run: number,
): Promise<readonly ViolationSpan[]> {
  const columns = `x.fingerprint, x.rule, x.severity, x.kind, x.uid, x.name, x.path, x.message, x.state, x.waiver,
    x.origin_run AS "originRun", CASE WHEN e.number IS NOT NULL THEN x.resolution END AS resolution,
    CASE WHEN e.number IS NOT NULL THEN x.ended_by END AS ended_by, x.replaces`
  const sql = `${spansSql('violation', columns)} ORDER BY x.from_run, x.id`
  return history.ask(async (session) => {
    const rows = await session.all<SpanRow>(sql, valuesOf(identity, run))
    return rows.map(({ originRun, replaces, ...row }) => ({
      ...toRecordedViolation(row),
      ...(originRun !== null && { originRun }),
      isContinued: replaces !== null,
      goesOn: row.toRun !== null && row.resolution === null,
    }))
  })
}

/** Subscriptions that ever referred to a resource as of a run, by uid. Uses the indexes on what subscriptions refer to. */
export async function readReferrersOf(
  history: HistoryReader,
  { project, kind, uid }: Identity,
  run: number,
): Promise<readonly Referrer[]> {
  const column = pointers[kind]
  if (column === undefined) return []
  const sql = spansSql('version', 'x.uid, x.name', `x.kind = $3 AND x.${column} = $4`)
  const values = valuesOf({ project, kind: 'subscription', uid }, run)
  const rows = await history.ask((session) => session.all<Referrer>(sql, values))
  return rows.sort((a, b) => compareText(a.uid, b.uid) || a.fromRun - b.fromRun)
}

const pointers: Readonly<Partial<Record<Kind, string>>> = {
  endpoint: 'endpoint_uid',
  source: 'source_uid',
  device: 'device_uid',
}
