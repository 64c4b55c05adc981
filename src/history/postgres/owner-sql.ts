import { validAtSql } from './sql-fragments.ts'

/**
 * SQL for the `owner_id` of the resource of `violation x` as of a run: of an endpoint, or of a subscription's endpoint.
 * NULL for all else.
 */
export function ownerSql(run: string): string {
  return `CASE x.kind WHEN 'endpoint' THEN (SELECT own.owner_id FROM hookdrift.version own
      WHERE own.project_id = x.project_id AND own.kind = 'endpoint' AND own.uid = x.uid
        AND ${validAtSql('own', run)} LIMIT 1)
    WHEN 'subscription' THEN (SELECT own.owner_id FROM hookdrift.version sub
      JOIN hookdrift.version own ON own.project_id = sub.project_id AND own.kind = 'endpoint'
        AND own.uid = sub.endpoint_uid AND ${validAtSql('own', run)}
      WHERE sub.project_id = x.project_id AND sub.kind = 'subscription' AND sub.uid = x.uid
        AND ${validAtSql('sub', run)} LIMIT 1) END`
}
