import { type ProjectRef, projectKey } from '../../model/resource.ts'
import type { Session } from '../sql/session.ts'
import type { DraftIds } from './draft-ids.ts'
import type { NewProject } from './drafted-rows.ts'
import { type UncommittedProject, untouchedProject } from './uncommitted-project.ts'

/** A project of a draft. */
export interface OpenProject {
  readonly id: number
  /** null: there were no rows of it before this run, and a question about them is spared. */
  readonly hadVersions: number | null
  readonly hadViolations: number | null
  /** The last run before this one that scanned it. */
  readonly lastScan: number | null
  state: UncommittedProject
}

type ProjectRow = Omit<OpenProject, 'state'>

/** The projects of a draft. One that is missing gets the next id, and its row with the rows that are staged. */
export class OpenProjects {
  readonly #db: Session
  readonly #run: number
  readonly #ids: DraftIds
  readonly #projects = new Map<string, Promise<OpenProject>>()
  #waiting: NewProject[] = []

  constructor(db: Session, run: number, ids: DraftIds) {
    this.#db = db
    this.#run = run
    this.#ids = ids
  }

  async open(project: ProjectRef): Promise<OpenProject> {
    return this.#projects.get(projectKey(project)) ?? this.#open(project, this.#read([project]))
  }

  /** Several at once, in one statement. */
  async openAll(projects: readonly ProjectRef[]): Promise<OpenProject[]> {
    const reading = this.#read(projects.filter((project) => !this.#projects.has(projectKey(project))))
    return Promise.all(
      projects.map((project) => this.#projects.get(projectKey(project)) ?? this.#open(project, reading)),
    )
  }

  /** All that were opened, by their ids. */
  async all(): Promise<OpenProject[]> {
    return (await Promise.all(this.#projects.values())).sort((a, b) => a.id - b.id)
  }

  /** Rows to insert. */
  takeWaiting(): readonly NewProject[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  #open(project: ProjectRef, reading: Promise<ReadonlyMap<string, ProjectRow>>): Promise<OpenProject> {
    const key = projectKey(project)
    const opening = reading.then(async (rows) => {
      return { ...(rows.get(key) ?? (await this.#make(project))), state: untouchedProject() }
    })
    this.#projects.set(key, opening)
    // The next call tries again.
    opening.catch(() => this.#projects.delete(key))
    return opening
  }

  async #make({ service, uid }: ProjectRef): Promise<ProjectRow> {
    const id = await this.#ids.take('project', 1)
    this.#waiting.push({ id, service, uid })
    return { id, hadVersions: null, hadViolations: null, lastScan: null }
  }

  async #read(projects: readonly ProjectRef[]): Promise<ReadonlyMap<string, ProjectRow>> {
    const rowsByKey = new Map<string, ProjectRow>()
    if (projects.length === 0) return rowsByKey
    for (const [service, ofService] of Map.groupBy(projects, ({ service }) => service)) {
      const rows = await this.#db.all<ProjectRow & { readonly uid: string }>(
        `SELECT p.uid, p.id,
           (SELECT 1 FROM hookdrift.version v WHERE v.project_id = p.id LIMIT 1) AS "hadVersions",
           (SELECT 1 FROM hookdrift.violation x WHERE x.project_id = p.id LIMIT 1) AS "hadViolations",
           (SELECT max(s.run) FROM hookdrift.scan s WHERE s.project_id = p.id AND s.run < $3) AS "lastScan"
         FROM hookdrift.project p WHERE p.service = $1 AND p.uid = ANY($2)`,
        [service, ofService.map(({ uid }) => uid), this.#run],
      )
      for (const { uid, ...row } of rows) rowsByKey.set(projectKey({ service, uid }), row)
    }
    return rowsByKey
  }
}
