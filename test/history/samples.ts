import { hash } from 'node:crypto'
import type { NewApproval } from '../../src/history/approvals.ts'
import { columnsOf } from '../../src/history/body-columns.ts'
import type { Draft } from '../../src/history/history.ts'
import type { HistoryReader } from '../../src/history/reader.ts'
import type { RunContext, RunRecord, StagedChange } from '../../src/history/records.ts'
import { listRuns } from '../../src/history/sql/runs.ts'
import type { ActiveViolation, NewVersion, NewViolation, RunStart } from '../../src/history/staged.ts'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import type { Coverage, CoverageStatus } from '../../src/model/coverage.ts'
import { decidedAt, decidedBy, type Ending } from '../../src/model/ending.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { ProjectNotice } from '../../src/model/notice.ts'
import type { Listing, ProjectRef } from '../../src/model/resource.ts'
import { unknownScope } from '../../src/model/run-scope.ts'
import { type Finding, fingerprintOf, type Resolution } from '../../src/model/violation.ts'
import { aFailedRule } from '../report/a-gap.ts'

export const payments: ProjectRef = { name: 'acme/payments', service: 'acme', uid: '01PAYMENTS' }
export const orders: ProjectRef = { name: 'acme/orders', service: 'acme', uid: '01ORDERS' }

/** Start of the n-th hour: `at(3)`. */
export function at(hour: number): string {
  return new Date(Date.parse('2026-03-01T00:00:00.000Z') + hour * 3_600_000).toISOString()
}

export function aStart(startedAt = at(1), other: Partial<RunStart> = {}): RunStart {
  return {
    startedAt,
    failOn: 'medium',
    toolVersion: '0.1.0',
    policyDigest: 'policy',
    configurationDigest: 'configuration',
    sealKeyId: 'key-1',
    normaliser: 1,
    ...other,
  }
}

export function aContext(other: Partial<RunContext> = {}): RunContext {
  const rule = {
    id: 'endpoint/url-not-https',
    kind: 'endpoint',
    title: 'No TLS',
    remediation: 'Use https.',
    severity: 'high',
  } as const
  const project = {
    project: 'acme/payments',
    labels: { env: 'prod' },
    configured_at: { file: 'hookdrift.yaml', line: 7 },
  }
  return {
    rules: [{ ...rule, controls: ['soc2:CC6.7'], needs: ['endpoint'] }],
    projects: [
      {
        ...project,
        resources: { endpoint: 2 },
        evaluated_by_rule: {},
        gaps: [aFailedRule('endpoint/orphan', 'it threw')],
      },
    ],
    policy: {
      packs: ['recommended'],
      exceptions: [
        {
          kind: 'override',
          rule: 'endpoint/url-not-https',
          setting: 'off',
          match: 'project acme/*',
          projects: ['acme/*'],
          configured_at: { file: 'policy.yaml', line: 3 },
        },
      ],
      waivers: [],
    },
    scope: { ...unknownScope, unscanned: ['acme/orders'] },
    ...other,
  }
}

export function aVersion(uid: string, attributes: JsonObject = {}, other: Partial<NewVersion> = {}): NewVersion {
  const body = canonicalJson(attributes)
  const digest = hash('sha256', body)
  const { kind = 'endpoint' } = other
  return {
    kind,
    uid,
    name: `name of ${uid}`,
    digest,
    body,
    facts: '',
    columns: columnsOf(kind, attributes),
    normaliser: 1,
    replaces: undefined,
    ...other,
  }
}

export function aCoverage(listing: Listing, status: CoverageStatus = 'complete'): Coverage {
  const reason = status === 'complete' ? null : `it is ${status}`
  const cause = causes[status]
  return { listing, status, cause, reason, filter: null, pages: 1, items: 2, requests: 3, retries: 0, duration_ms: 40 }
}

const causes = {
  complete: null,
  partial: 'timeout',
  failed: 'http',
  suspect: 'suspect_loss',
  skipped: 'not_offered',
} as const satisfies Record<CoverageStatus, Coverage['cause']>

export function aChange(uid: string, other: Partial<StagedChange> = {}): StagedChange {
  return { kind: 'endpoint', uid, name: `name of ${uid}`, change: 'added', fields: [], ...other }
}

export function aFinding(uid: string, other: Partial<Finding> = {}): Finding {
  return {
    rule: 'endpoint/url-not-https',
    severity: 'high',
    kind: 'endpoint',
    uid,
    name: `name of ${uid}`,
    path: '/url',
    message: `${uid} is reached without TLS`,
    ...other,
  }
}

export function aViolation(uid: string, other: Partial<NewViolation> = {}, project = payments): NewViolation {
  const finding = aFinding(uid, other)
  return {
    ...finding,
    fingerprint: fingerprintOf(project, finding),
    state: 'open',
    waiver: undefined,
    firstRun: undefined,
    lastRun: undefined,
    originRun: undefined,
    replaces: undefined,
    ...other,
  }
}

/** What a later run writes in the place of an active violation. */
export function instead(active: ActiveViolation, other: Partial<NewViolation>): NewViolation {
  const { id, ...finding } = active
  return { ...finding, lastRun: undefined, replaces: id, ...other }
}

export function aNotice(listing: Listing | null, text: string): ProjectNotice {
  return { code: listing === null ? 'fields_changed' : 'field_malformed', listing, text }
}

/** Both required listings, read to their end. */
export async function walkAll(draft: Draft, project = payments): Promise<void> {
  await draft.stageScan(project)
  await draft.stageWalk(project, aCoverage('endpoints'), undefined)
  await draft.stageWalk(project, aCoverage('subscriptions'), undefined)
}

export function commit(draft: Draft): Promise<RunRecord> {
  return draft.commit(at(draft.run + 0.5), () => 0)
}

/** Of one value; fails when there is none or more than one. */
export function only<Value>(values: readonly Value[]): Value {
  const [value] = values
  if (value === undefined || values.length > 1) throw new Error(`expected one value, not ${values.length}`)
  return value
}

/** Number of the last committed run. */
export async function latestRun(history: HistoryReader): Promise<number | undefined> {
  return (await listRuns(history)).at(-1)?.number
}

export const approvedScopes = { endpoint: { listing: 'endpoints', filter: null } } as const

export function anApproval(project: ProjectRef, run: number, other: Partial<NewApproval> = {}): NewApproval {
  return { project, scopes: approvedScopes, note: 'reviewed', by: 'ops', at: at(10), state: { run }, ...other }
}

/** Ends of violations, all for one reason. */
export function endedAs(ids: Iterable<number>, resolution: Resolution = 'fixed'): ReadonlyMap<number, Ending> {
  return new Map(Array.from(ids, (id) => [id, anEnding(resolution)]))
}

/** With a person or a line that ended it, unless it is gone. */
export function anEnding(resolution: Resolution): Ending {
  return { resolution, ended_by: resolution === 'fixed' || resolution === 'removed' ? null : enders[resolution] }
}

const enders = {
  accepted: decidedBy('baseline', { by: 'eve', at: at(1), reason: 'looks fine', run: 1 }),
  policy: decidedAt('override', { reason: null, configuredAt: { file: 'policy.yaml', line: 12 } }),
  expired: decidedAt('expiry', { reason: 'not put back within 30 d', configuredAt: { file: 'policy.yaml', line: 3 } }),
} as const
