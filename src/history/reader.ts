import { isProjectList, type ProjectRef } from '../model/resource.ts'
import { type HistoryDatabase, type ScopedRows, type Session, sqlOf, type Transaction } from './sql/session.ts'

/**
 * A history as its readers see it: committed runs, and of them the projects that they may know of. Every question is a
 * function in `sql/`, together with its statements. An answer "as of" a run never changes, so several questions about one
 * run agree while another run is being written.
 */
export interface HistoryReader {
  /** Asks one short statement, which is consistent by itself. */
  ask<Answer>(question: (session: Session) => Promise<Answer>): Promise<Answer>
  /** Asks several statements, or a long one, of one state of the history. They cannot write. */
  snapshot<Answer>(question: (transaction: Transaction) => Promise<Answer>): Promise<Answer>
  /**
   * The same as if it had only some projects, for readers who may not know of the others. Every statement finds tables and
   * documented views under their own names, with the rows that are for these readers.
   */
  within(scope: ProjectScope): HistoryReader
}

/** Of which projects a reader may know. */
export interface ProjectScope {
  /** By its name, `service/project`, as of its last scan. */
  has(project: string): boolean
  /** Whether it may be any project of a service, known or not. */
  mayHaveOf(service: string): boolean
}

/** A history in either database, with all of its projects. */
export function sqlReader(db: HistoryDatabase): HistoryReader {
  return {
    async ask(question) {
      try {
        return await question(db)
      } catch (error) {
        // Rows may contain a text that is not JSON.
        throw db.describe(error)
      }
    },
    snapshot: (question) => db.snapshot(question),
    within: (scope) => scopedReader(db, scope),
  }
}

/** A history as if it had only some projects. */
function scopedReader(db: HistoryDatabase, scope: ProjectScope): HistoryReader {
  let chosen: { readonly state: string; readonly rows: ScopedRows } | undefined
  // Projects get their names from runs and approvals, so they are chosen once for each state of the history.
  const { snapshot } = db.scoped(async (whole) => {
    const schema = sqlOf(whole, { sqlite: 'main', postgres: 'hookdrift' })
    const state = JSON.stringify(await whole.get(stateSql(schema)))
    if (chosen?.state !== state) chosen = { state, rows: await chooseRows(whole, schema, scope) }
    return chosen.rows
  })
  return {
    ask: snapshot,
    snapshot,
    within: () => {
      throw new Error('a history of some projects is not made one of others')
    },
  }
}

const stateSql = (schema: string) => `SELECT
  (SELECT max(number) FROM ${schema}.run WHERE state = 'committed') AS run,
  (SELECT max(id) FROM ${schema}.project) AS project, (SELECT max(id) FROM ${schema}.approval) AS approval`

/** A project that was never scanned has the name under which a state of it was approved. */
const namesSql = (schema: string) => `SELECT p.id, p.service, p.uid, coalesce(
    (SELECT s.name FROM ${schema}.scan s WHERE s.project_id = p.id ORDER BY s.run DESC LIMIT 1),
    (SELECT a.project FROM ${schema}.approval a WHERE a.project_id = p.id ORDER BY a.id DESC LIMIT 1), '') AS name
  FROM ${schema}.project p`

/** Projects that runs knew and were not to scan. */
const unscannedSql = (session: Session, schema: string) =>
  `SELECT DISTINCT e.value FROM ${schema}.document d CROSS JOIN ${sqlOf(session, {
    sqlite: "json_each(d.body, '$.scope.unscanned') e",
    postgres: "jsonb_array_elements_text(d.body::jsonb #> '{scope,unscanned}') e",
  })} WHERE d.body LIKE '%"unscanned":["%'`

async function chooseRows(whole: Session, schema: string, scope: ProjectScope): Promise<ScopedRows> {
  const known = await whole.all<ProjectRef & { readonly id: number }>(namesSql(schema))
  const own = known.filter(({ name }) => scope.has(name))
  const unscanned = await whole.column<string>(unscannedSql(whole, schema))
  const names = [...new Set([...own.map(({ name }) => name), ...unscanned.filter(scope.has)])]
  const listsOf = (isSeen: (service: string) => boolean) =>
    known.flatMap((project) => (isProjectList(project) && isSeen(project.service) ? [project.id] : []))
  return {
    projects: own.map(({ id }) => id),
    services: listsOf((service) => names.some((name) => name.startsWith(`${service}/`))),
    lists: listsOf(scope.mayHaveOf),
    names,
  }
}
