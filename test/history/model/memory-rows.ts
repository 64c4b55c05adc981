import type { Acceptance } from '../../../src/history/acceptances.ts'
import type { Approval, NewApproval } from '../../../src/history/approvals.ts'
import type { NewVersion, NewViolation, RunStart } from '../../../src/history/history.ts'
import type { RecordedViolation, RunContext, RunRecord, StagedChange } from '../../../src/history/records.ts'
import { inNoticeOrder, inReportOrder, inResourceOrder, inWalkOrder } from '../../../src/history/report-order.ts'
import type { Lease } from '../../../src/history/sqlite/lease.ts'
import { toStoredBody, type VersionPoint } from '../../../src/history/stored-body.ts'
import type { Coverage } from '../../../src/model/coverage.ts'
import type { Ending } from '../../../src/model/ending.ts'
import type { ExitCode } from '../../../src/model/errors.ts'
import type { ProjectNotice } from '../../../src/model/notice.ts'
import { unknownPolicy } from '../../../src/model/policy-facts.ts'
import { type Kind, type Listing, type ProjectRef, projectKey } from '../../../src/model/resource.ts'
import { unknownScope } from '../../../src/model/run-scope.ts'
import type { OutboxRows } from './memory-outbox.ts'

/** A history as plain lists; migrations/0001_history.sql says what the members mean. Rows are replaced, never changed. */
export interface Rows {
  readonly runs: readonly RunRow[]
  readonly scans: readonly ScanRow[]
  readonly walks: readonly WalkRow[]
  readonly versions: readonly VersionRow[]
  readonly changes: readonly (StagedChange & OfRun)[]
  readonly violations: readonly ViolationRow[]
  readonly notices: readonly NoticeRow[]
  readonly marks: readonly MarkRow[]
  readonly approvals: readonly ApprovalRow[]
  readonly acceptances: readonly Acceptance[]
  readonly held: readonly (OfRun & { readonly listing: Listing; readonly uids: readonly string[] })[]
}

export interface RunRow extends RunStart {
  readonly number: number
  readonly state: 'running' | 'committed' | 'interrupted'
  readonly finishedAt: string
  readonly exitCode?: ExitCode
  readonly context?: RunContext
}

interface OfRun {
  readonly run: number
  readonly project: string
}

/** What several processes would share. */
export interface Memory {
  rows: Rows
  lease: (Lease & { readonly token: number }) | undefined
  lastId: number
  /** By project, the first run without a notification. */
  readonly unnotified: Map<string, number>
  readonly outbox: OutboxRows
  /** Bodies by the key of the project. */
  readonly readings: Map<string, string>
}

/** Valid from one run up to, not including, another. */
interface Valid {
  readonly project: string
  readonly fromRun: number
  readonly toRun?: number
}

export type ScanRow = OfRun & { readonly name: string }
export type WalkRow = Coverage & OfRun & { readonly shape: readonly string[] | undefined }
/** `project`: null when it is about the run. */
type NoticeRow = ProjectNotice & { readonly run: number; readonly project: string | null }
export type VersionRow = NewVersion &
  Valid & { readonly id: number; readonly sealKeyId: string; readonly since: string }
export type ViolationRow = NewViolation &
  Valid & { readonly id: number; readonly firstRun: number; readonly ending?: Ending }
export type ApprovalRow = NewApproval & Pick<Approval, 'id' | 'revoked'>
export type MarkRow = Valid & { readonly kind: Kind; readonly uid: string }

export const noRows: Rows = {
  runs: [],
  scans: [],
  walks: [],
  versions: [],
  changes: [],
  violations: [],
  notices: [],
  marks: [],
  approvals: [],
  acceptances: [],
  held: [],
}

/** Identity of a project, independent of its name. */
export const projectKeyOf: (project: ProjectRef) => string = projectKey

/** Reads a run as it was, without what later runs changed. */
export function readRows(rows: Rows, run: RunRow): RunRecord {
  const { number, startedAt, finishedAt, failOn, toolVersion, policyDigest, configurationDigest, context } = run
  // As configured then; of a project that it did not scan, a run says nothing.
  const names = new Map(rows.scans.filter(({ run }) => run === number).map(({ project, name }) => [project, name]))
  const named = <Row extends { readonly project: string }>(row: Row) => {
    const project = names.get(row.project)
    return project === undefined ? [] : [{ ...row, project }]
  }
  const ofRun = <Row extends OfRun>(all: readonly Row[]) => all.filter((row) => row.run === number).flatMap(named)
  return {
    ...{ number, startedAt, finishedAt, failOn, toolVersion, policyDigest, configurationDigest },
    chain: null,
    rules: context?.rules ?? [],
    projects: context?.projects ?? [],
    policy: context?.policy ?? unknownPolicy,
    scope: context?.scope ?? unknownScope,
    coverage: ofRun(rows.walks)
      .map(({ run: _, shape: __, ...coverage }) => coverage)
      .sort(inWalkOrder),
    notices: rows.notices
      .filter(({ run }) => run === number)
      .flatMap(({ project, run: _, ...notice }) => {
        const name = project === null ? null : names.get(project)
        return name === undefined ? [] : [{ ...notice, project: name }]
      })
      .sort(inNoticeOrder),
    changes: ofRun(rows.changes)
      .map(({ run: _, ...change }) => change)
      .sort(inResourceOrder),
    violations: rows.violations
      .flatMap((row) => named(row).flatMap((shown) => toRunRecord(rows, number, row, shown.project)))
      .sort(inReportOrder),
    accepted: acceptedIn(rows, run, names),
  }
}

/** Acceptances that held when the run began. */
function acceptedIn(rows: Rows, { startedAt }: RunRow, names: ReadonlyMap<string, string>): RunRecord['accepted'] {
  const holding = rows.acceptances.filter(
    ({ at, revoked, ended }) =>
      at <= startedAt &&
      (revoked === undefined || revoked.at > startedAt) &&
      (ended === undefined || ended.at > startedAt),
  )
  return holding.flatMap(({ project: { name: _, ...ref }, fingerprint, rule, kind, uid, path, reason, by, at }) => {
    const acceptance = { fingerprint, rule, kind, uid, path, reason, by, at }
    const project = names.get(projectKeyOf({ ...ref, name: '' }))
    const last = rows.violations.findLast(({ fingerprint }) => fingerprint === acceptance.fingerprint)
    const { severity = null, name = '', message = '' } = last ?? {}
    return project === undefined ? [] : [{ ...acceptance, project, severity, name, message }]
  })
}

/** What a run reports of a violation: nothing when it ended before, began after, or was merely reworded. */
export function toRunRecord(rows: Rows, run: number, row: ViolationRow, project: string): RecordedViolation[] {
  const { fingerprint, rule, severity, kind, uid, name, path, message, state, fromRun, toRun, firstRun, lastRun } = row
  if (fromRun > run || (toRun !== undefined && toRun < run)) return []
  const startOf = (number: number) => rows.runs[number - 1]?.startedAt ?? ''
  const owner = ownerOf(rows, row, run)
  const firstSeen = startOf(firstRun)
  const shown = { fingerprint, rule, severity, project, kind, uid, name, owner, path, message, firstSeen }
  if (toRun === run) {
    if (rows.violations.some(({ replaces }) => replaces === row.id)) return []
    const lastScan = scannedProjects(rows, row.project).findLast((scan) => scan < run) ?? 0
    const { resolution = null, endedBy = null } = row.ending ?? {}
    return [{ ...shown, state: 'resolved', lastSeen: startOf(lastRun ?? lastScan), resolution, endedBy }]
  }
  const accepted = row.waiver === undefined ? {} : { waiver: row.waiver }
  const reported = state !== 'open' ? state : firstRun === run ? 'opened' : 'continuing'
  return [{ ...shown, ...accepted, state: reported, lastSeen: startOf(lastRun ?? run), ...notEnded }]
}

const notEnded = { resolution: null, endedBy: null }

/** The owner of an endpoint, or of a subscription's endpoint, as of a run. */
export function ownerOf(rows: Rows, { project, kind, uid }: ViolationRow, run: number): string | null {
  const isValid = ({ fromRun, toRun }: VersionRow) => fromRun <= run && (toRun === undefined || toRun > run)
  const attributesOf = (kind: Kind, uid: unknown) => {
    const row = rows.versions.find(
      (version) => version.project === project && version.kind === kind && version.uid === uid && isValid(version),
    )
    return row === undefined ? {} : toStoredBody(row).attributes
  }
  const endpoint = kind === 'subscription' ? attributesOf('subscription', uid).endpoint_uid : uid
  if (kind !== 'endpoint' && kind !== 'subscription') return null
  const { owner_id } = attributesOf('endpoint', endpoint)
  return typeof owner_id === 'string' ? owner_id : null
}

/** Versions as runs found them. */
export function versionsAt(rows: Rows, project: ProjectRef, points: readonly VersionPoint[]) {
  const own = rows.versions.filter((version) => version.project === projectKeyOf(project))
  return points.map(({ kind, uid, run }) => {
    const row = own.find(
      (version) =>
        version.kind === kind &&
        version.uid === uid &&
        version.fromRun <= run &&
        (version.toRun === undefined || version.toRun > run),
    )
    return row === undefined ? undefined : toStoredBody(row)
  })
}

/** The runs that scanned a project, in order. */
export function scannedProjects(rows: Rows, project: string): number[] {
  return rows.scans.filter((scan) => scan.project === project).map(({ run }) => run)
}
