/**
 * SQL for the `owner_id` of the resource of `violation x` as of a run, which `run` names in SQL: of an endpoint, or of a
 * subscription's endpoint. NULL for all else. One or two lookups in the index of versions.
 */
export function ownerSql(run: string): string {
  const endpointOf = (uid: string) => `(SELECT v.owner_id FROM ${versionOf('v', 'endpoint', uid, run)})`
  return `CASE x.kind WHEN 'endpoint' THEN ${endpointOf('x.uid')} WHEN 'subscription' THEN
    (SELECT ${endpointOf('s.endpoint_uid')} FROM ${versionOf('s', 'subscription', 'x.uid', run)}) END`
}

function versionOf(name: string, kind: string, uid: string, run: string): string {
  return `hookdrift.version ${name} WHERE ${name}.project_id = x.project_id AND ${name}.kind = '${kind}'
    AND left(${name}.uid, 200) = left(${uid}, 200) AND ${name}.uid = ${uid}
    AND ${name}.from_run <= ${run} AND (${name}.to_run IS NULL OR ${name}.to_run > ${run})`
}
