import type { PostgresDatabase } from '../../../src/history/postgres/connect.ts'

export interface Extent {
  readonly projects: number
  readonly runs: number
  /** Current endpoints of each project, and subscriptions that refer to them. */
  readonly resources: number
}

/**
 * Rows as of many runs, made by the server: each run changes one in a hundred resources. As many violations are active as
 * there are endpoints.
 */
export async function fillHistory(db: PostgresDatabase, { projects, runs, resources }: Extent): Promise<void> {
  const perProject = `generate_series(1, ${projects}) AS p, generate_series(1, ${resources}) AS n`
  const each = `generate_series(2, ${runs}) AS r, generate_series(1, ${projects}) AS p,
    generate_series(1, ${Math.ceil(resources / 100)}) AS n`
  const statements = [
    `run (number, state, started_at, finished_at, exit_code, fail_on, tool_version, policy_digest, configuration_digest,
      seal_key_id, normal_form_version, version_floor, violation_floor)
     SELECT r, 'committed', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0, 'high', '1', 'p', 'c', 'k', 1, 0, 0
     FROM generate_series(1, ${runs}) AS r`,
    `project (id, service, uid) SELECT p, 'acme', 'p' || p FROM generate_series(1, ${projects}) AS p`,
    `scan (run, project_id, name) SELECT r, p, 'acme/p' || p FROM generate_series(1, ${runs}) AS r, generate_series(1, ${projects}) AS p`,
    `walk (run, project_id, listing, status, pages, items, requests, retries, duration_ms)
     SELECT s.run, s.project_id, l, 'complete', 1, 1, 1, 0, 1 FROM hookdrift.scan s,
       unnest(ARRAY['endpoints', 'sources', 'subscriptions']) AS l`,
    `first_complete_walk SELECT DISTINCT project_id, listing, 1 FROM hookdrift.walk`,
    `version (id, project_id, kind, uid, from_run, normal_form_version, name, digest, body, facts, owner_id, endpoint_uid,
      source_uid, device_uid)
     SELECT row_number() OVER (), p, k, k || n, 1, 1, 'name of ' || n, 'd' || n, '{"text":"' || repeat('x', 300) || '"}', '',
       CASE k WHEN 'endpoint' THEN 'o' || n END, CASE k WHEN 'subscription' THEN 'endpoint' || n END,
       CASE k WHEN 'subscription' THEN 'source' || n % 50 END, CASE WHEN k = 'subscription' AND n % 100 = 0 THEN 'd' || n END
     FROM ${perProject}, unnest(ARRAY['endpoint', 'subscription']) AS k`,
    `version (id, project_id, kind, uid, from_run, to_run, normal_form_version, name, digest, body, facts, owner_id)
     SELECT 10000000 + row_number() OVER (), p, 'endpoint', 'gone' || n || ' ' || r, r - 1, r, 1, 'n', 'd', '{}', '', 'o'
     FROM ${each}`,
    `unreferenced (project_id, kind, uid, from_run)
     SELECT p, 'source', 'source' || n, 1 FROM generate_series(1, ${projects}) AS p, generate_series(1, 50) AS n`,
    `change (id, run, project_id, kind, uid, name, change, fields)
     SELECT row_number() OVER (), r, p, 'endpoint', 'endpoint' || n, 'n', 'modified', '[]' FROM ${each}`,
    `violation (id, fingerprint, project_id, kind, uid, rule, path, state, severity, name, message, from_run, first_run,
      waiver)
     SELECT row_number() OVER (), md5(p || ' ' || n), p, k, k || n, 'r', '/', CASE n % 50 WHEN 0 THEN 'waived' ELSE 'open' END,
       'high', 'n', 'm', 1, 1, CASE n % 50 WHEN 0 THEN '{}' END
     FROM ${perProject}, unnest(ARRAY['endpoint', 'subscription']) AS k WHERE (n + length(k)) % 2 = 0`,
    `violation (id, fingerprint, project_id, kind, uid, rule, path, state, severity, name, message, from_run, to_run,
      first_run, last_run, resolution)
     SELECT 10000000 + row_number() OVER (), md5('x' || r || ' ' || p || ' ' || n), p, 'endpoint', 'endpoint' || n, 'r', '/',
       'open', 'high', 'n', 'm', r - 1, r, r - 1, r - 1, 'fixed' FROM ${each}`,
  ]
  for (const statement of statements) await db.run(`INSERT INTO hookdrift.${statement}`)
  const tables = ['run', 'project', 'scan', 'walk', 'version', 'unreferenced', 'change', 'violation']
  for (const table of tables) await db.run(`ANALYZE hookdrift.${table}`)
}
