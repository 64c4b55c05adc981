import type { FieldChange } from '../../model/change.ts'
import type { Kind, Listing } from '../../model/resource.ts'
import { isFollowedSql } from '../sql/fragments.ts'
import type { Session } from '../sql/session.ts'
import { noHistory, type ProjectHistory } from '../staged.ts'
import { type ActiveViolationRow, activeColumns, toActiveViolation } from '../stored-violation.ts'
import type { OpenProject } from './open-projects.ts'

type ShapeRow = { readonly listing: Listing; readonly shape: string }
type ChangeRow = { kind: Kind; uid: string; run: number; at: string; fields: string }
type OriginRow = ActiveViolationRow & { originRun: number; first_seen: string; isActive: 0 | 1 }

/** What runs before one left of a project. `since`: from when changes are wanted (ISO 8601, UTC); undefined: none are. */
export async function readHistory(
  session: Session,
  { id, lastScan, hadViolations }: OpenProject,
  { run, since }: { readonly run: number; readonly since: string | undefined },
): Promise<ProjectHistory> {
  if (id === null || lastScan === null) return noHistory
  const shapes = await session.all<ShapeRow>(shapesSql, [id, run])
  const changes = since === undefined ? [] : await session.all<ChangeRow>(changesSql, [id, since, run])
  const origins = hadViolations === null ? [] : await session.all<OriginRow>(withOriginSql, [id, run])
  return {
    shapes: Object.fromEntries(shapes.map(({ listing, shape }) => [listing, JSON.parse(shape)])),
    modifications: changes.map(({ fields, ...row }) => {
      // Hookdrift wrote it.
      return { ...row, paths: (JSON.parse(fields) as FieldChange[]).map(({ path }) => path) }
    }),
    withOrigin: origins.map(({ originRun, isActive, first_seen, ...row }) => {
      const violation = toActiveViolation({ ...row, originRun })
      return { ...violation, originRun, first_seen, isActive: isActive === 1 }
    }),
  }
}

const shapesSql = `SELECT w.listing, w.shape FROM hookdrift.walk w
  WHERE w.project_id = $1 AND w.shape IS NOT NULL AND w.run = (SELECT max(o.run) FROM hookdrift.walk o
    WHERE o.project_id = w.project_id AND o.listing = w.listing AND o.run < $2 AND o.shape IS NOT NULL)`

/** Backwards from this run to the last one that is too old: a long history costs no more than a short one. */
const changesSql = `SELECT c.kind, c.uid, c.run, r.started_at AS "at", c.fields
  FROM hookdrift.run r CROSS JOIN hookdrift.change c
  WHERE c.run = r.number AND r.number < $3 AND r.number > coalesce((SELECT o.number FROM hookdrift.run o
      WHERE o.number < $3 AND o.started_at < $2 ORDER BY o.number DESC LIMIT 1), 0)
    AND c.project_id = $1 AND c.change = 'modified' ORDER BY c.id`

const withOriginSql = `SELECT ${activeColumns},
    CASE WHEN x.to_run IS NULL THEN 1 ELSE 0 END AS "isActive",
    (SELECT started_at FROM hookdrift.run WHERE number = x.first_run) AS first_seen
  FROM hookdrift.violation x
  WHERE x.project_id = $1 AND x.from_run < $2 AND x.origin_run IS NOT NULL AND ${isFollowedSql('x')}
  ORDER BY x.id`
