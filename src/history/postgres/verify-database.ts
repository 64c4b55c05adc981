import { type CheckWords, Faults, inOrder } from '../check-result.ts'
import { movedTo } from '../lease-owner.ts'
import type { VerifyRows } from '../movable-history.ts'
import { type SchemaFault, type SchemaObject, schemaFaults } from '../schema-faults.ts'
import { rowsIn } from '../sql/copied-rows.ts'
import type { CheckResult, Verification, VerificationRequest } from '../upkeep.ts'
import type { PostgresSession, PostgresTransaction } from './connect.ts'
import { readScopedViews, readSteps } from './migrate.ts'

export interface DatabaseChecks {
  readonly request: VerificationRequest
  /** Found before, because finding them takes a transaction that may write. */
  readonly schemaFaults: readonly SchemaFault[]
  readonly verifyRows: VerifyRows
}

/**
 * Verifies a history in the state that a transaction sees: a copy of its rows by all checks, and here what a copy
 * cannot show. Rows of an altered table are not read.
 */
export async function verifyDatabase(
  session: PostgresTransaction,
  { request, schemaFaults, verifyRows }: DatabaseChecks,
): Promise<Verification> {
  const schema = await resultOf(
    schemaWords,
    schemaFaults.map(({ text }) => text),
  )
  if (schemaFaults.some(({ type, fault }) => type === 'table' && fault !== 'unknown')) {
    const unread: CheckResult = { id: 'records', ok: null, detail: 'no row was read, because a table was altered' }
    return { ok: false, run: null, checks: [schema, unread] }
  }
  const copied = await verifyRows(rowsIn(session), request)
  const ofDatabase: ReadonlyMap<string, CheckResult> = new Map([
    ['schema', schema],
    ['migration', await resultOf(migrationWords, await findMigrationFaults(session))],
    ...(await additional(session, copied.checks)),
  ])
  const checks = copied.checks.map((check) => ofDatabase.get(check.id) ?? check)
  const missing = [...ofDatabase.values()].filter(({ id }) => !checks.some((check) => check.id === id))
  const all = [...missing, ...checks].sort(inOrder)
  return { ok: all.every(({ ok }) => ok !== false), run: copied.run, checks: all }
}

/** How the schema, and the one of readers of some projects, differ from what hookdrift makes. See `compareSchema`. */
export async function findSchemaFaults(session: PostgresSession, schema: string): Promise<readonly SchemaFault[]> {
  const steps = readSteps().map(({ sql }) => sql.replaceAll('hookdrift.', 'pg_temp.'))
  const faults = await compareSchema(session, schema, steps)
  // Over other tables than hookdrift's, its views are others.
  if (faults.length > 0) return faults
  const scoped = `${schema}_scoped`
  const altered = await compareSchema(session, scoped, [readScopedViews().replaceAll('hookdrift_scoped', 'pg_temp')])
  const rights = (await session.value<boolean>(tableRightsSql, [schema, scoped]))
    ? [`the role ${scoped} has rights on the tables of the schema ${schema}: revoke them`]
    : []
  return [
    ...altered.map(({ text }) => `in ${scoped}, ${text}: \`hookdrift history upgrade\` makes these views anew`),
    ...rights,
  ].map((text) => ({ type: 'view', fault: 'altered', text }))
}

/** Whether the role of readers of some projects reaches past their views. */
const tableRightsSql = `SELECT EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_roles r ON r.rolname = $2
  WHERE n.nspname = $1 AND c.relkind IN ('r', 'v') AND has_schema_privilege(r.oid, n.oid, 'USAGE')
    AND has_any_column_privilege(r.oid, c.oid, 'SELECT'))`

/**
 * How a schema differs from what some statements make of temporary tables and views on this server, which are gone when
 * this returns. A server of any version words both alike. Within a transaction that may write.
 */
async function compareSchema(session: PostgresSession, schema: string, statements: readonly string[]) {
  await session.run('SAVEPOINT read_schemas')
  try {
    const actual = await readCatalog(session, `"${schema}"`, 'SELECT to_regnamespace(current_schema())::oid')
    for (const sql of statements) await session.run(sql)
    const expected = await readCatalog(session, 'pg_temp', 'SELECT pg_my_temp_schema()')
    return schemaFaults(expected, actual)
  } finally {
    await session.run('ROLLBACK TO SAVEPOINT read_schemas')
  }
}

const schemaWords = {
  id: 'schema',
  invariant: 'tables, constraints, indexes and views are as hookdrift made them, and there is no trigger and no rule',
  means:
    'another program altered the database: a view may show invented rows, and a trigger would change what a run writes',
}

async function resultOf(words: CheckWords, texts: Iterable<string> | AsyncIterable<string>): Promise<CheckResult> {
  const faults = new Faults()
  for await (const text of texts) faults.add(text)
  return faults.resultOf(words)
}

const migrationWords = {
  id: 'migration',
  invariant: 'the migrations that made the schema are those of this hookdrift',
  means: 'another program altered the record of migrations',
}

/** How the record of migrations differs from those of this program. */
async function findMigrationFaults(session: PostgresSession): Promise<readonly string[]> {
  const rows = await session.all<{ version: number; name: string; sha256: string; applied_at: string }>(
    'SELECT version, name, sha256, applied_at FROM hookdrift.migration ORDER BY version',
  )
  const steps = readSteps()
  const faults = rows
    .filter(({ applied_at: time }) => !isTime(time))
    .map(({ version }) => `migration ${version} has an invalid time`)
  for (const { version, name, sha256 } of steps) {
    const row = rows.find((each) => each.version === version)
    if (row === undefined) faults.push(`migration ${version} is missing`)
    else if (row.name !== name || row.sha256 !== sha256) faults.push(`migration ${version} differs from ${name}`)
  }
  for (const { version } of rows) {
    if (!steps.some((step) => step.version === version)) faults.push(`migration ${version} is unknown`)
  }
  return faults
}

/** As hookdrift writes times. */
function isTime(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

/** Results of the copy's checks with what is found here besides. */
async function additional(
  session: PostgresTransaction,
  copied: readonly CheckResult[],
): Promise<[string, CheckResult][]> {
  const finders = { records: findOwnerFaults, I1: findDraftFaults }
  const results: [string, CheckResult][] = [['integrity_check', await integrityOf(session, copied)]]
  for (const [id, find] of Object.entries(finders)) {
    const check = copied.find((each) => each.id === id)
    if (check === undefined || check.ok === false) continue
    const means = failing[id] ?? ''
    results.push([id, await resultOf({ id, invariant: check.detail, means }, find(session))])
  }
  return results
}

const failing: Readonly<Record<string, string>> = {
  records: 'another program altered rows that identify runs and messages',
  I1: 'an uncommitted run is visible: reports cannot be trusted',
}

/** Pages and indexes are PostgreSQL's: it finds damage itself where data checksums are on. */
async function integrityOf(session: PostgresSession, copied: readonly CheckResult[]): Promise<CheckResult> {
  const ofCopy = copied.find(({ id }) => id === 'integrity_check')
  if (ofCopy?.ok === false) return ofCopy
  const setting = await session.value<string>("SELECT current_setting('data_checksums')")
  return { id: 'integrity_check', ok: null, detail: `left to PostgreSQL: data checksums are ${setting}` }
}

// What a copy of the rows cannot show: rows that are not copied, and drafts.

const released = "'epoch'::timestamptz"
const running = "(SELECT max(number) FROM hookdrift.run WHERE state = 'running')"
const isMoved = `host LIKE '${movedTo}%'`

const isInvalidOwner = `(token < 0 OR pid < 0 OR (heartbeat_at <> ${released} AND NOT ${isMoved}
  AND (host = '' OR boot_id = '' OR pid = 0 OR token = 0)))`

/**
 * A run takes the lease in the transaction that begins it, and releases it in the one that ends it. One of several workers
 * waits without a lease for another one to coordinate it.
 */
const ownersSql = `
  SELECT 'the lease names no valid owner' AS what FROM hookdrift.lease WHERE ${isInvalidOwner} OR id <> 1
  UNION ALL SELECT 'the lease is taken, and no run is being written' FROM hookdrift.lease
    WHERE heartbeat_at <> ${released} AND NOT ${isMoved} AND ${running} IS NULL
  UNION ALL SELECT 'run ' || ${running} || ' is being written, and the lease is free'
    WHERE ${running} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hookdrift.lease WHERE heartbeat_at <> ${released})
      AND NOT EXISTS (SELECT 1 FROM hookdrift.run_plan WHERE run = ${running} AND ended_at IS NULL)
  UNION ALL SELECT 'channel ' || name || ' names no valid owner' FROM hookdrift.channel WHERE ${isInvalidOwner}`

async function* findOwnerFaults(session: PostgresTransaction): AsyncGenerator<string> {
  for await (const { what } of session.iterate<{ what: string }>(ownersSql)) yield what
}

/** A run that was not committed ends nothing, and only one is being written. */
const draftsSql = `
  SELECT 'run ' || max(number) || ' is running, and so is another run' AS what FROM hookdrift.run
    WHERE state = 'running' HAVING count(*) > 1
  ${['version', 'violation', 'unreferenced']
    .map(
      (
        table,
      ) => `UNION ALL SELECT 'run ' || r.number || ' is not committed and ended ' || t.kind || ' ' || t.uid || ' in ${table}'
    FROM hookdrift.run r JOIN hookdrift.${table} t ON t.to_run = r.number WHERE r.state = 'running'`,
    )
    .join('\n  ')}`

async function* findDraftFaults(session: PostgresTransaction): AsyncGenerator<string> {
  for await (const { what } of session.iterate<{ what: string }>(draftsSql)) yield what
}

/** `namespace`: SQL of the schema's oid. */
async function readCatalog(session: PostgresSession, path: string, namespace: string): Promise<SchemaObject[]> {
  // The server then writes names of this schema without it.
  await session.run("SELECT set_config('search_path', $1, true)", [path])
  return session.all<SchemaObject>(`WITH relation AS (
      SELECT oid, relname, relkind, relrowsecurity, relpersistence FROM pg_class WHERE relnamespace = (${namespace}))
    SELECT * FROM (${parts.join('\n    UNION ALL ')}) AS part
    ORDER BY part.type COLLATE "C", part.name COLLATE "C"`)
}

const columns = `(SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), l.collname,
    CASE WHEN a.attnotnull THEN 'NOT NULL' END, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated), ', '
    ORDER BY a.attnum)
  FROM pg_attribute a LEFT JOIN pg_collation l ON l.oid = a.attcollation
  LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped)`

/** NOT NULL is part of its column. Internal triggers enforce references: only those that were switched off are read. */
const parts = [
  `SELECT CASE WHEN relkind IN ('v', 'm') THEN 'view' WHEN relkind = 'S' THEN 'sequence' ELSE 'table' END AS type,
     relname::text AS name, relname::text AS "table", concat_ws(' ', relkind, ${columns},
       CASE WHEN relrowsecurity THEN 'with row security' END, CASE relpersistence WHEN 'u' THEN 'unlogged' END,
       CASE WHEN relkind IN ('v', 'm') THEN pg_get_viewdef(r.oid, true) END) AS sql
   FROM relation r WHERE relkind IN ('r', 'p', 'f', 'v', 'm', 'S')`,
  `SELECT 'index', i.relname, r.relname, concat_ws(' ', pg_get_indexdef(i.oid, 0, true),
     CASE WHEN NOT x.indisvalid THEN 'invalid' END)
   FROM relation r JOIN pg_index x ON x.indrelid = r.oid JOIN pg_class i ON i.oid = x.indexrelid`,
  `SELECT 'constraint', r.relname || '.' || c.conname, r.relname, concat_ws(' ', pg_get_constraintdef(c.oid, true),
     CASE WHEN NOT c.convalidated THEN 'not validated' END)
   FROM relation r JOIN pg_constraint c ON c.conrelid = r.oid AND c.contype <> 'n'`,
  `SELECT 'trigger', r.relname || '.' || t.tgname, r.relname, t.tgenabled::text
   FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal OR t.tgenabled <> 'O'`,
  `SELECT 'rule', r.relname || '.' || u.rulename, r.relname, ''
   FROM relation r JOIN pg_rewrite u ON u.ev_class = r.oid WHERE u.rulename <> '_RETURN'`,
  `SELECT 'table', r.relname || ', inherited by ' || c.relname, r.relname, ''
   FROM relation r JOIN pg_inherits h ON h.inhparent = r.oid JOIN pg_class c ON c.oid = h.inhrelid WHERE r.relkind = 'r'`,
]
