import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { approvalsOf } from '../../src/audit/approve-run.ts'
import { changeEndpoint } from '../../src/demo/edits.ts'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import type { EndpointRow, ProjectData } from '../../src/demo/rows.ts'
import { type ServiceOptions, startSimulatedService } from '../../src/demo/simulated-service.ts'
import { findLastRun, listRuns } from '../../src/history/sql/runs.ts'
import { readLatestScans } from '../../src/history/sql/scans.ts'
import type { Report } from '../../src/model/report.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { composeAcceptances } from '../../src/questions/choose-acceptable.ts'
import { replayRuns } from '../replay/replay-runs.ts'
import { type AuditHarnessOptions, type AuditTurn, openAuditHarness } from './audit-harness.ts'

export interface FleetFixtureOptions {
  /** Default: one clean outgoing project. */
  readonly fleet?: FleetOptions | SimulatedFleet
  readonly service?: ServiceOptions
  readonly harness?: Partial<AuditHarnessOptions>
}

/** Several pages of a small fleet; a page that is not answered ends its walk. */
export const pagesOfTwo = { harness: { pageSize: 2, limits: { retries: 0 } } } satisfies FleetFixtureOptions

/** A simulated service and a harness that audits all its projects by their names. */
export async function openFleetFixture({
  fleet: made = {},
  service: options = {},
  harness: harnessOptions = {},
}: FleetFixtureOptions = {}) {
  const fleet = 'open' in made ? made : generateFleet({ clean: true, projects: 1, incomingEvery: 0, ...made })
  const service = await startSimulatedService(fleet, options)
  const projects = Object.fromEntries(fleet.projects().map(({ name, uid }) => [name, uid]))
  const harness = openAuditHarness({ projects, key: fleet.personalKey, ...harnessOptions })
  const nowText = () => new Date(harness.clock.now()).toISOString()
  const endpointAt = (index = 0) => {
    const row = at(fleet.open(projects.payments ?? '').endpoints, index)
    return { project: row.project_id, uid: row.uid, row }
  }
  return {
    fleet,
    service,
    harness,
    audit: (turn: Omit<AuditTurn, 'url'> = {}): Promise<Report> => harness.audit({ url: service.url, ...turn }),
    uidOf: (name: string) => projects[name] ?? '',
    dataOf: (name: string): ProjectData => fleet.open(projects[name] ?? ''),
    /** An endpoint of the project `payments`. */
    endpointAt,
    /** Changes one of them; gives its uid. */
    set(change: Partial<EndpointRow>, index = 0): string {
      const place = endpointAt(index)
      changeEndpoint(fleet, place, (row) => ({ ...row, ...change }))
      return place.uid
    },
    /** Ends what the service does wrong. */
    mend() {
      service.faults.length = 0
    },
    /** Replays all runs with a policy. */
    replay: (policy: Policy) =>
      harness.withHistory(async (history) => replayRuns(history, { policy, runs: await listRuns(history) })),
    /** Approves what the last run left, as `hookdrift baseline approve` does. */
    approve: (): Promise<void> =>
      harness.withHistory(async (history) => {
        const run = await findLastRun(history)
        if (run === undefined) throw new Error('there is no run')
        await history.approve(await approvalsOf(history, run, () => true, { by: 'eve', at: nowText(), note: 'agreed' }))
      }),
    /** Accepts a violation of a report, as `hookdrift accept` does. `uid`: of which resource, where several have one. */
    accept: (report: Report, rule: string, uid?: string): Promise<void> => {
      const violation = report.violations.find((one) => one.rule === rule && (uid === undefined || one.uid === uid))
      if (violation === undefined) throw new Error(`the report has no ${rule}`)
      return acceptViolation(harness, report, violation)
    },
    /** What the history answers, as a person with sqlite3 would ask. */
    query: <Row = Record<string, unknown>>(sql: string, ...values: (string | number)[]): Row[] =>
      query<Row>(harness.file, sql, ...values),
    rowCounts: () => rowCounts(harness.file),
    async [Symbol.asyncDispose]() {
      await service.close()
      await harness[Symbol.asyncDispose]()
    },
  }
}

/** Accepts a violation of the last report of a harness. */
export function acceptViolation(
  { withHistory, clock }: Pick<ReturnType<typeof openAuditHarness>, 'withHistory' | 'clock'>,
  { run }: Report,
  violation: Report['violations'][number],
): Promise<void> {
  return withHistory(async (history) => {
    const scans = await readLatestScans(history, run.number)
    const scanned = scans.find(({ project }) => project.name === violation.project)?.project
    if (scanned === undefined) throw new Error(`the history has no ${violation.project}`)
    const signed = { by: 'lee', reason: 'moves in spring', at: new Date(clock.now()).toISOString() }
    await history.accept(await composeAcceptances(history, run.number, [{ ...violation, scanned }], signed))
  })
}

export type FleetFixture = Awaited<ReturnType<typeof openFleetFixture>>

export function query<Row>(file: string, sql: string, ...values: (string | number)[]): Row[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<(string | number)[], Row>(sql).all(...values)
  } finally {
    db.close()
  }
}

const tables = ['version', 'violation', 'change', 'notice', 'unreferenced', 'walk', 'run', 'project'] as const

export function rowCounts(file: string): Record<(typeof tables)[number], number> {
  const counts = tables.map((table) => [table, query<{ n: number }>(file, `SELECT count(*) n FROM ${table}`)[0]?.n])
  return Object.fromEntries(counts)
}

export function sizeOf(file: string): number {
  return statSync(file).size
}

/** Element of a list that must be there. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index)
  if (item === undefined) throw new Error(`there is no element ${index} of ${list.length}`)
  return item
}

/** `payments endpoint CREDIT-007 modified /name: "a" → "b"`: drift in one line each. */
export function driftLines({ drift }: Report): string[] {
  return drift.flatMap(({ kind, uid, change, fields }) =>
    fields.length === 0
      ? [`${change} ${kind} ${uid}`]
      : fields.map(
          ({ path, before, after }) =>
            `${change} ${kind} ${uid} ${path} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`,
        ),
  )
}

/** `opened endpoint/inactive 01M…` for each violation. */
export function violationLines({ violations }: Report): string[] {
  return violations.map(({ state, rule, uid }) => `${state} ${rule} ${uid}`).sort()
}

/** `payments/endpoints complete`: how each walk ended. */
export function coverageLines({ coverage }: Report): string[] {
  return coverage.map(({ project, listing, status }) => `${project.replace(/^acme\//, '')}/${listing} ${status}`)
}

/** How the walk of a listing ended in the first project of a report. */
export function walkOf({ coverage }: Report, listing: string) {
  return coverage.find((walk) => walk.listing === listing)
}

/** What a report says of one project. */
export function ofProject(report: Report, name: string): Report {
  const isOwn = (row: { readonly project: string | null }) => row.project === name
  return {
    ...report,
    coverage: report.coverage.filter(isOwn),
    notices: report.notices.filter(isOwn),
    drift: report.drift.filter(isOwn),
    violations: report.violations.filter(isOwn),
    projects: report.projects.filter(isOwn),
  }
}
