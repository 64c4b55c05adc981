import type { Notice } from '../../model/notice.ts'
import { readProjects, readStableContext } from '../read-documents.ts'
import type { RecordedViolation, RunRecord } from '../records.ts'
import { inNoticeOrder, inReportOrder, inResourceOrder, inWalkOrder } from '../report-order.ts'
import { type RecordedChangeRow, toChange } from '../stored-change.ts'
import { type StoredWalk, toCoverage } from '../stored-walk.ts'
import type { Session } from './connect.ts'
import { readAcceptancesOf } from './postgres-acceptances.ts'
import {
  activeAsOf,
  activeSql,
  isLastSpanSql,
  type RecordedViolationRow,
  type ResolvedRow,
  resolvedSql,
  toViolation,
} from './violations-at.ts'

type RunRow = Pick<
  RunRecord,
  'number' | 'startedAt' | 'finishedAt' | 'failOn' | 'toolVersion' | 'policyDigest' | 'configurationDigest' | 'chain'
> & { readonly rules: string | null; readonly projects: string | null }

/** Reads a run as it was when committed, within a transaction. The caller decides which runs may be read. */
export async function readRun(session: Session, number: number): Promise<RunRecord | undefined> {
  const run = await session.get<RunRow>(
    `SELECT number, started_at AS "startedAt", finished_at AS "finishedAt", fail_on AS "failOn",
       tool_version AS "toolVersion", policy_digest AS "policyDigest", configuration_digest AS "configurationDigest", chain,
       (SELECT body FROM hookdrift.document WHERE sha256 = rules_document) AS rules,
       (SELECT body FROM hookdrift.document WHERE sha256 = projects_document) AS projects
     FROM hookdrift.run WHERE number = $1`,
    [number],
  )
  if (run === undefined) return undefined
  return {
    ...run,
    ...readStableContext(run.rules),
    projects: readProjects(run.projects),
    coverage: await readCoverage(session, number),
    notices: await readNotices(session, number),
    changes: await readChanges(session, number),
    violations: await readViolations(session, number),
    accepted: await readAcceptancesOf(session, number),
  }
}

async function readCoverage(session: Session, number: number): Promise<RunRecord['coverage']> {
  const walks = await session.all<StoredWalk & { readonly project: string }>(
    `SELECT s.name AS project, w.listing, w.status, w.cause, w.reason, w.filter, w.pages, w.items, w.requests, w.retries,
       w.duration_ms AS "durationMs", w.total AS "of", w.oldest_at AS "oldestAt"
     FROM hookdrift.walk w JOIN hookdrift.scan s ON s.project_id = w.project_id AND s.run = w.run WHERE w.run = $1`,
    [number],
  )
  return walks.map(toCoverage).sort(inWalkOrder)
}

async function readNotices(session: Session, number: number): Promise<RunRecord['notices']> {
  const notices = await session.all<Notice>(
    `SELECT n.code, s.name AS project, n.listing, n.text
     FROM hookdrift.notice n LEFT JOIN hookdrift.scan s ON s.project_id = n.project_id AND s.run = n.run
     WHERE n.run = $1 AND (n.project_id IS NULL OR s.run IS NOT NULL) ORDER BY n.number`,
    [number],
  )
  return notices.sort(inNoticeOrder)
}

export async function readChanges(session: Session, number: number): Promise<RunRecord['changes']> {
  const rows = await session.all<RecordedChangeRow>(
    `SELECT s.name AS project, c.kind, c.uid, c.name, c.change, c.fields, c.referrers
     FROM hookdrift.change c JOIN hookdrift.scan s ON s.project_id = c.project_id AND s.run = c.run
     WHERE c.run = $1 ORDER BY c.id`,
    [number],
  )
  return rows.map(toChange).sort(inResourceOrder)
}

/** Violations of the projects that the run scanned: active ones, and those that ended in it without a replacement. */
async function readViolations(session: Session, number: number): Promise<RecordedViolation[]> {
  const scans = 'SELECT project_id AS id, run, name FROM hookdrift.scan WHERE run = $1'
  const active = await session.all<RecordedViolationRow>(activeAsOf(scans, activeSql), [number])
  const resolved = await session.all<ResolvedRow>(
    `${resolvedSql(`hookdrift.violation x JOIN hookdrift.scan s ON s.project_id = x.project_id AND s.run = x.to_run`)}
     WHERE x.to_run = $1 AND ${isLastSpanSql}`,
    [number],
  )
  return [
    ...active.map(toViolation),
    ...resolved.map(({ run: _, resolvedAt: __, ...row }) => toViolation({ ...row, waiver: null })),
  ].sort(inReportOrder)
}
