import type { FieldChange } from '../../model/change.ts'
import type { Kind, Listing, ProjectRef } from '../../model/resource.ts'
import type { Session } from '../sql/session.ts'
import type { ProjectHistory } from '../staged.ts'
import { type ActiveViolationRow, activeColumns, toActiveViolation } from '../stored-violation.ts'
import type { OpenProject } from './open-projects.ts'

type ShapeRow = { readonly project: number; readonly listing: Listing; readonly shape: string }
type ChangeRow = { project: number; kind: Kind; uid: string; run: number; at: string; fields: string }
type OriginRow = ActiveViolationRow & { project: number; originRun: number; first_seen: string; isActive: 0 | 1 }

interface HistoriesQuestion {
  /** The run that is being written. */
  readonly run: number
  readonly projects: readonly ProjectRef[]
  /** Their rows, in their order. */
  readonly opened: readonly OpenProject[]
  /** From when changes are wanted: ISO 8601, UTC. undefined: none are. */
  readonly since: string | undefined
}

/** What earlier runs left of some projects. */
export async function readHistories(
  session: Session,
  { run, projects, opened, since }: HistoriesQuestion,
): Promise<ReadonlyMap<string, ProjectHistory>> {
  const scanned = opened.flatMap(({ id, lastScan }) => (lastScan === null ? [] : (id ?? [])))
  const violated = opened.flatMap(({ id, hadViolations }) => (hadViolations === null ? [] : (id ?? [])))
  // Each question is spared where no project has such rows.
  const read = <Row extends OfProject>(sql: string, ids: readonly number[], ...values: (string | number)[]) =>
    scanned.length === 0 || ids.length === 0 ? [] : session.all<Row>(sql, [ids, ...values])
  const shapes = rowsOf(await read<ShapeRow>(shapesSql, scanned, run))
  const changes = rowsOf(since === undefined ? [] : await read<ChangeRow>(changesSql, scanned, since, run))
  const origins = rowsOf(await read<OriginRow>(withOriginSql, violated, run))
  return new Map(
    projects.map(({ name }, at) => {
      const id = opened[at]?.id ?? 0
      const history: ProjectHistory = {
        shapes: Object.fromEntries(shapes(id).map(({ listing, shape }) => [listing, JSON.parse(shape)])),
        modifications: changes(id).map(({ fields, ...row }) => {
          // Hookdrift wrote it.
          return { ...row, paths: (JSON.parse(fields) as FieldChange[]).map(({ path }) => path) }
        }),
        withOrigin: origins(id).map(({ originRun, isActive, first_seen, ...row }) => {
          const violation = toActiveViolation({ ...row, originRun })
          return { ...violation, originRun, first_seen, isActive: isActive === 1 }
        }),
      }
      return [name, history]
    }),
  )
}

/** The rows of each project, by the id of its row. */
function rowsOf<Row extends OfProject>(rows: readonly Row[]) {
  const byProject = Map.groupBy(rows, ({ project }) => project)
  return (id: number) => (byProject.get(id) ?? []).map(({ project: _, ...row }) => row)
}

interface OfProject {
  readonly project: number
}

const shapesSql = `SELECT w.project_id AS project, w.listing, w.shape FROM hookdrift.walk w
  WHERE w.project_id = ANY($1) AND w.shape IS NOT NULL AND w.run = (SELECT max(o.run) FROM hookdrift.walk o
    WHERE o.project_id = w.project_id AND o.listing = w.listing AND o.run < $2 AND o.shape IS NOT NULL)`

/** Backwards from this run to the last one that is too old: a long history costs no more than a short one. */
const changesSql = `SELECT c.project_id AS project, c.kind, c.uid, c.run, r.started_at AS "at", c.fields
  FROM hookdrift.run r CROSS JOIN hookdrift.change c
  WHERE c.run = r.number AND r.number < $3 AND r.number > coalesce((SELECT o.number FROM hookdrift.run o
      WHERE o.number < $3 AND o.started_at < $2 ORDER BY o.number DESC LIMIT 1), 0)
    AND c.project_id = ANY($1) AND c.change = 'modified' ORDER BY c.id`

const withOriginSql = `SELECT ${activeColumns}, x.project_id AS project,
    CASE WHEN x.to_run IS NULL THEN 1 ELSE 0 END AS "isActive",
    (SELECT started_at FROM hookdrift.run WHERE number = x.first_run) AS first_seen
  FROM hookdrift.violation x
  WHERE x.project_id = ANY($1) AND x.from_run < $2 AND x.origin_run IS NOT NULL AND (x.to_run IS NULL
    OR (x.resolution = 'accepted'
      AND NOT EXISTS (SELECT 1 FROM hookdrift.violation n WHERE n.fingerprint = x.fingerprint AND n.id > x.id)
      AND EXISTS (SELECT 1 FROM hookdrift.acceptance a WHERE a.project_id = x.project_id
        AND a.fingerprint = x.fingerprint AND a.ended_at IS NULL AND (a.revoked_at IS NULL
          OR a.revoked_at > (SELECT started_at FROM hookdrift.run WHERE number = x.to_run)))))
  ORDER BY x.id`
