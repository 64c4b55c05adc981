import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { type FleetOptions, generateFleet } from '../../src/demo/generate-fleet.ts'
import type { ProjectData } from '../../src/demo/rows.ts'
import { type ServiceOptions, startSimulatedService } from '../../src/demo/simulated-service.ts'
import type { Report } from '../../src/model/report.ts'
import { type AuditHarnessOptions, type AuditTurn, openAuditHarness } from './audit-harness.ts'

export interface FleetFixtureOptions {
  /** Default: one clean outgoing project. */
  readonly fleet?: FleetOptions | SimulatedFleet
  readonly service?: ServiceOptions
  readonly harness?: Partial<AuditHarnessOptions>
}

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
  return {
    fleet,
    service,
    harness,
    audit: (turn: Omit<AuditTurn, 'url'> = {}): Promise<Report> => harness.audit({ url: service.url, ...turn }),
    uidOf: (name: string) => projects[name] ?? '',
    dataOf: (name: string): ProjectData => fleet.open(projects[name] ?? ''),
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
