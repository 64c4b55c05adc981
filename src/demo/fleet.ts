import type { ProjectData, ProjectRow } from './rows.ts'

/** All data of a simulated service: projects, and the content of each, generated on first use. */
export interface SimulatedFleet {
  readonly organisationId: string
  /** A key that opens every project. */
  readonly personalKey: string
  /** The fleet's current time, in milliseconds since the epoch; edits are dated after it. */
  readonly baseTimeMs: number
  /** Where sources receive events; the mask follows. */
  readonly ingestUrl: string
  project(uid: string): ProjectRow | undefined
  projects(): readonly ProjectRow[]
  /** Throws when the project does not exist. */
  open(projectUid: string): ProjectData
  /** Replaces rows by changed ones. */
  replace(projectUid: string, change: { readonly project?: ProjectRow; readonly data?: ProjectData }): void
  /** Adds a project, empty or with data. */
  add(project: ProjectRow, data?: ProjectData): void
  /** Deletes a project with all that it has. */
  remove(projectUid: string): void
  /** The number of replacements in a project: an older rendering is stale. */
  revision(projectUid: string): number
  /** A number that no call has returned before. */
  nextSerial(): number
}

interface FleetParts {
  readonly organisationId: string
  readonly personalKey: string
  readonly baseTimeMs: number
  readonly ingestUrl?: string
  readonly projects: readonly ProjectRow[]
  /** Must return the same rows for the same project each time: unedited projects may be generated again. */
  readonly make: (project: ProjectRow) => ProjectData
}

/** The unedited projects in memory; beyond that the least recently used one is generated again when needed. */
const keptProjects = 64

export function createFleet({
  organisationId,
  personalKey,
  baseTimeMs,
  ingestUrl,
  projects,
  make,
}: FleetParts): SimulatedFleet {
  const rows = new Map(projects.map((project) => [project.uid, project]))
  const made = new Map<string, ProjectData>()
  const edited = new Map<string, ProjectData>()
  const revisions = new Map<string, number>()
  let serial = 0
  const project = (uid: string) => {
    const row = rows.get(uid)
    if (row === undefined) throw new Error(`the fleet has no project ${uid}`)
    return row
  }
  return {
    organisationId,
    personalKey,
    baseTimeMs,
    ingestUrl: ingestUrl ?? 'http://127.0.0.1:5005/ingest/',
    project: (uid) => rows.get(uid),
    projects: () => [...rows.values()],
    open(uid) {
      const current = edited.get(uid) ?? made.get(uid)
      const data = current ?? make(project(uid))
      if (edited.has(uid)) return data
      made.delete(uid)
      made.set(uid, data)
      for (const oldest of made.keys()) {
        if (made.size <= keptProjects) break
        made.delete(oldest)
      }
      return data
    },
    replace(uid, change) {
      rows.set(uid, change.project ?? project(uid))
      if (change.data !== undefined) edited.set(uid, change.data)
      revisions.set(uid, (revisions.get(uid) ?? 0) + 1)
    },
    add(row, data) {
      rows.set(row.uid, row)
      edited.set(row.uid, data ?? { endpoints: [], sources: [], subscriptions: [] })
    },
    remove(uid) {
      for (const map of [rows, made, edited]) map.delete(uid)
    },
    revision: (uid) => revisions.get(uid) ?? 0,
    nextSerial: () => ++serial,
  }
}
