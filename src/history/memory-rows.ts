import type { Coverage } from '../model/coverage.ts'
import type { ExitCode } from '../model/errors.ts'
import { projectKey } from '../model/keys.ts'
import { type Kind, type Listing, type ProjectRef, policyProject } from '../model/resource.ts'
import type { Approval, NewApproval } from './approvals.ts'
import type {
  NewVersion,
  NewViolation,
  RecordedViolation,
  RunContext,
  RunRecord,
  RunStart,
  StagedChange,
} from './history.ts'
import type { Lease } from './holder.ts'
import type { OutboxRows } from './memory-outbox.ts'
import { compareText, inReportOrder, inResourceOrder, inWalkOrder } from './report-order.ts'

/** A history as plain lists; migrations/0001_history.sql says what the members mean. Rows are replaced, never changed. */
export interface Rows {
  readonly runs: readonly RunRow[]
  readonly walks: readonly WalkRow[]
  readonly versions: readonly VersionRow[]
  readonly changes: readonly (StagedChange & OfRun)[]
  readonly violations: readonly ViolationRow[]
  readonly notices: readonly (OfRun & { readonly listing: Listing; readonly text: string })[]
  readonly marks: readonly MarkRow[]
  readonly approvals: readonly ApprovalRow[]
  readonly held: readonly (OfRun & { readonly listing: Listing; readonly uids: readonly string[] })[]
}

export interface RunRow extends RunStart {
  readonly number: number
  readonly state: 'running' | 'sealed' | 'interrupted'
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
  /** By project, the first run that nobody was told of. */
  readonly untold: Map<string, number>
  readonly outbox: OutboxRows
}

/** Valid from one run up to, not including, another. */
interface Valid {
  readonly project: string
  readonly fromRun: number
  readonly toRun?: number
}

export type WalkRow = Coverage & OfRun & { readonly name: string; readonly shape: readonly string[] | undefined }
export type VersionRow = NewVersion &
  Valid & { readonly id: number; readonly sealKeyId: string; readonly since: string }
export type ViolationRow = NewViolation & Valid & { readonly id: number; readonly firstRun: number }
export type ApprovalRow = NewApproval & Pick<Approval, 'id' | 'revoked'>
export type MarkRow = Valid & { readonly kind: Kind; readonly uid: string }

export const noRows: Rows = {
  runs: [],
  walks: [],
  versions: [],
  changes: [],
  violations: [],
  notices: [],
  marks: [],
  approvals: [],
  held: [],
}

/** Identity of a project, whatever it is called. */
export const keyOf: (project: ProjectRef) => string = projectKey

/** Reads a run as it was, whatever came after it. */
export function readRows(rows: Rows, run: RunRow): RunRecord {
  const { number, startedAt, finishedAt, failOn, toolVersion, policyDigest, configurationDigest, context } = run
  const walks = rows.walks.filter((walk) => walk.run === number)
  // As configured then; of a project whose endpoints it did not walk, a run says nothing.
  const names = new Map(walks.filter(({ listing }) => listing === 'endpoints').map((walk) => [walk.project, walk.name]))
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
    coverage: walks
      .filter(({ project }) => project !== keyOf(policyProject))
      .map(({ run: _, name: project, shape: __, ...coverage }) => ({ ...coverage, project }))
      .sort(inWalkOrder),
    notices: ofRun(rows.notices)
      .map(({ project, listing, text }) => ({ project, listing, text }))
      .sort((a, b) => compareText(a.project, b.project)),
    changes: ofRun(rows.changes)
      .map(({ run: _, ...change }) => change)
      .sort(inResourceOrder),
    violations: rows.violations
      .flatMap((row) => named(row).flatMap((shown) => recordOf(rows, number, row, shown.project)))
      .sort(inReportOrder),
  }
}

/** What a run says of a violation: nothing when it stood before, or after, or was merely reworded. */
export function recordOf(rows: Rows, run: number, row: ViolationRow, project: string): RecordedViolation[] {
  const { fingerprint, rule, severity, kind, uid, name, path, message, state, fromRun, toRun, firstRun, lastRun } = row
  if (fromRun > run || (toRun !== undefined && toRun < run)) return []
  const startOf = (number: number) => rows.runs[number - 1]?.startedAt ?? ''
  const shown = { fingerprint, rule, severity, project, kind, uid, name, path, message, firstSeen: startOf(firstRun) }
  if (toRun === run) {
    if (rows.violations.some(({ replaces }) => replaces === row.id)) return []
    const lastLook = lookedAt(rows, row.project).findLast((look) => look < run) ?? 0
    return [{ ...shown, state: 'resolved', lastSeen: startOf(lastRun ?? lastLook) }]
  }
  const accepted = row.waiver === undefined ? {} : { waiver: row.waiver }
  const standing = state !== 'open' ? state : firstRun === run ? 'opened' : 'continuing'
  return [{ ...shown, ...accepted, state: standing, lastSeen: startOf(lastRun ?? run) }]
}

/** The runs that looked at a project, in order. */
export function lookedAt(rows: Rows, project: string): number[] {
  return rows.walks.filter((walk) => walk.project === project && walk.listing === 'endpoints').map(({ run }) => run)
}
