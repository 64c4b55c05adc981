import type { SchemaObject } from '../../schema-faults.ts'
import type { PostgresSession } from '../connect.ts'
import { readSteps } from '../migrate.ts'

export interface Schemas {
  readonly expected: readonly SchemaObject[]
  readonly actual: readonly SchemaObject[]
}

/**
 * Reads the schema of a history, and the one that the migrations make on this server: of temporary tables, which are
 * gone when this returns. A server of any version words both alike. Within a transaction that may write.
 */
export async function readSchemas(session: PostgresSession, schema: string): Promise<Schemas> {
  await session.run('SAVEPOINT read_schemas')
  try {
    const actual = await readCatalog(session, `"${schema}"`, 'SELECT to_regnamespace(current_schema())::oid')
    for (const { sql } of readSteps()) await session.run(sql.replaceAll('hookdrift.', 'pg_temp.'))
    const expected = await readCatalog(session, 'pg_temp', 'SELECT pg_my_temp_schema()')
    return { expected, actual }
  } finally {
    await session.run('ROLLBACK TO SAVEPOINT read_schemas')
  }
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
