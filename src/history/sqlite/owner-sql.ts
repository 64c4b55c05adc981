/**
 * SQL for the `owner_id` of the resource of `violation x` as of a run, which `run` names in SQL: of an endpoint, or of a
 * subscription's endpoint. NULL for all else. One or two lookups in the index of versions.
 */
export function ownerSql(run: string): string {
  const endpointOf = (uid: string) =>
    `(SELECT v.owner_id FROM version v WHERE v.project_id = x.project_id AND v.kind = 'endpoint'
       AND v.uid = ${uid} AND ${validAt('v', run)})`
  return `CASE x.kind WHEN 'endpoint' THEN ${endpointOf('x.uid')} WHEN 'subscription' THEN ${endpointOf(
    `(SELECT s.endpoint_uid FROM version s WHERE s.project_id = x.project_id AND s.kind = 'subscription'
       AND s.uid = x.uid AND ${validAt('s', run)})`,
  )} END`
}

function validAt(version: string, run: string): string {
  return `${version}.from_run <= ${run} AND (${version}.to_run IS NULL OR ${version}.to_run > ${run})`
}
