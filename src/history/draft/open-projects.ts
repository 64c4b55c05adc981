import { type ProjectRef, projectKey } from '../../model/resource.ts'
import type { Session } from '../sql/session.ts'
import { type DraftedProject, untouchedProject } from './drafted-project.ts'

/** A project of a draft. */
export interface OpenProject {
  readonly project: ProjectRef
  /** Of its row; null before the commit, where it has none yet. */
  id: number | null
  /** null: there were no rows of it before this run, and a question about them is spared. */
  readonly hadVersions: number | null
  readonly hadViolations: number | null
  /** The last run before this one that scanned it. */
  readonly lastScan: number | null
  state: DraftedProject
}

type ProjectRow = Pick<OpenProject, 'id' | 'hadVersions' | 'hadViolations' | 'lastScan'>

/** The projects of a draft, in the order in which they were opened. */
export class OpenProjects {
  readonly #db: Session
  readonly #run: number
  readonly #projects = new Map<string, Promise<OpenProject>>()

  constructor(db: Session, run: number) {
    this.#db = db
    this.#run = run
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

  all(): Promise<OpenProject[]> {
    return Promise.all(this.#projects.values())
  }

  #open(project: ProjectRef, reading: Promise<ReadonlyMap<string, ProjectRow>>): Promise<OpenProject> {
    const key = projectKey(project)
    const opening = reading.then((rows) => {
      const { id, hadVersions, hadViolations, lastScan } = rows.get(key) ?? newProject
      return { project, id, hadVersions, hadViolations, lastScan, state: untouchedProject() }
    })
    this.#projects.set(key, opening)
    // The next call tries again.
    opening.catch(() => this.#projects.delete(key))
    return opening
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

const newProject: ProjectRow = { id: null, hadVersions: null, hadViolations: null, lastScan: null }
