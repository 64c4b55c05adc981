import type { FieldChange } from '../../../model/change.ts'
import { type Kind, type Listing, listings, type ProjectRef } from '../../../model/resource.ts'
import type { ProjectHistory } from '../../history.ts'
import { assembleHistories } from '../../project-histories.ts'
import { type ActiveViolationRow, toActiveViolation } from '../../stored-violation.ts'
import type { DraftContext } from './draft-context.ts'
import { activeColumns, firstSeenSql } from './draft-violations.ts'

type ShapeRow = { readonly project: number; readonly listing: Listing; readonly shape: string }
type ChangeRow = { project: number; kind: Kind; uid: string; run: number; at: string; fields: string }
type OriginRow = ActiveViolationRow & { project: number; originRun: number; firstSeen: string; isActive: boolean }

/** What earlier runs left of some projects. `since`: from when changes are wanted; undefined: none are. */
export async function readHistories(
  { db, run, projects }: DraftContext,
  asked: readonly ProjectRef[],
  since: string | undefined,
): Promise<ReadonlyMap<string, ProjectHistory>> {
  const opened = await projects.openAll(asked)
  const scanned = opened.flatMap(({ id, lastScan }) => (lastScan === null ? [] : [id]))
  const ids = opened.map(({ id }) => id)
  if (scanned.length === 0) return assembleHistories(asked, ids, noRows)
  const violated = opened.flatMap(({ id, hadViolations }) => (hadViolations ? [id] : []))
  const changes = since === undefined ? [] : await db.all<ChangeRow>(changesSql, [scanned, since, run])
  return assembleHistories(asked, ids, {
    shapes: await db.all<ShapeRow>(shapesSql, [scanned, listings, run]),
    modifications: changes.map(({ project, fields, ...row }) => {
      // Hookdrift wrote it.
      return { project, row: { ...row, paths: (JSON.parse(fields) as FieldChange[]).map(({ path }) => path) } }
    }),
    withOrigin: (violated.length === 0 ? [] : await db.all<OriginRow>(withOriginSql, [violated, run])).map(
      ({ project, originRun, isActive, firstSeen, ...row }) => {
        return { project, row: { ...toActiveViolation({ ...row, originRun }), originRun, firstSeen, isActive } }
      },
    ),
    underOtherRules: await db.all<{ project: number }>(otherRulesSql, [
      scanned,
      opened.flatMap(({ lastScan }) => lastScan ?? []),
      run,
    ]),
  })
}

const noRows = { shapes: [], modifications: [], withOrigin: [], underOtherRules: [] }

const shapesSql = `SELECT p.id AS project, l.listing, w.shape
  FROM unnest($1::bigint[]) AS p (id)
  CROSS JOIN unnest($2::text[]) AS l (listing)
  CROSS JOIN LATERAL (SELECT o.shape FROM hookdrift.walk o WHERE o.project_id = p.id AND o.listing = l.listing
    AND o.run < $3 AND o.shape IS NOT NULL ORDER BY o.run DESC LIMIT 1) w`

const changesSql = `SELECT c.project_id AS project, c.kind, c.uid, c.run, r.started_at AS at, c.fields
  FROM hookdrift.run r JOIN hookdrift.change c ON c.run = r.number
  WHERE r.number < $3 AND r.number > coalesce((SELECT o.number FROM hookdrift.run o
      WHERE o.number < $3 AND o.started_at < $2 ORDER BY o.number DESC LIMIT 1), 0)
    AND c.project_id = ANY($1::bigint[]) AND c.change = 'modified' ORDER BY c.id`

const withOriginSql = `SELECT ${activeColumns}, x.project_id AS project, x.to_run IS NULL AS "isActive",
    ${firstSeenSql} AS "firstSeen"
  FROM hookdrift.violation x
  WHERE x.project_id = ANY($1::bigint[]) AND x.from_run < $2 AND x.origin_run IS NOT NULL AND (x.to_run IS NULL
    OR (x.resolution = 'accepted'
      AND NOT EXISTS (SELECT 1 FROM hookdrift.violation n WHERE n.fingerprint = x.fingerprint AND n.id > x.id)
      AND EXISTS (SELECT 1 FROM hookdrift.acceptance a WHERE a.project_id = x.project_id
        AND a.fingerprint = x.fingerprint AND a.ended_at IS NULL AND (a.revoked_at IS NULL
          OR a.revoked_at > (SELECT started_at FROM hookdrift.run WHERE number = x.to_run)))))
  ORDER BY x.id`

const otherRulesSql = `SELECT p.id AS project FROM unnest($1::bigint[], $2::bigint[]) AS p (id, run)
  JOIN hookdrift.run b ON b.number = p.run JOIN hookdrift.run r ON r.number = $3
  WHERE b.policy_digest <> r.policy_digest OR b.configuration_digest <> r.configuration_digest
    OR b.tool_version <> r.tool_version`
