import { AuditError } from '../../model/errors.ts'
import { displayNameOf, type PostgresServer } from '../postgres-server.ts'
import { views } from '../views.ts'

/** Their members may read and write files, run programs or end sessions of others, also in a read-only transaction. */
const powerful = [
  'pg_read_server_files',
  'pg_write_server_files',
  'pg_execute_server_program',
  'pg_signal_backend',
  'pg_signal_autovacuum_worker',
  'pg_write_all_data',
]

/** What a login may do besides reading. */
export interface LoginPowers {
  readonly login: string
  /** The powerful roles that the login is or may become, sorted. */
  readonly powers: readonly string[]
  /** Whether it is, or may become, a role that owns the database or the history, or may write to it. */
  readonly writes: boolean
}

/** A statement can change its role at any time, so what a role may do counts for its members. */
const isMember = (role: string) => `pg_catalog.pg_has_role(session_user, ${role}, 'MEMBER')`

/** SQL: the columns of `LoginPowers`. `schema`: the parameter with the name of the schema. */
export const powersSql = (schema: string) => `session_user::text AS login,
  ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r
    WHERE (r.rolsuper OR r.rolreplication OR r.rolname IN (${powerful.map((name) => `'${name}'`).join(', ')}))
      AND ${isMember('r.oid')} ORDER BY 1) AS powers,
  EXISTS (SELECT FROM pg_catalog.pg_database d WHERE d.datname = current_database() AND ${isMember('d.datdba')})
    OR EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = ${schema} AND (${isMember('n.nspowner')}
      OR EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND ${isMember('c.relowner')})
      OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE ${isMember('r.oid')} AND (
        pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE')
        OR EXISTS (SELECT FROM pg_catalog.pg_class c
          WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_catalog.has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')))))) AS writes`

/**
 * Refuses queries under a login that may do more than read. The login of audits is one: in a read-only transaction, too,
 * a statement ends other sessions of its own login, and so the runs under way.
 * @throws AuditError.usage with the statements that make a login of its own
 */
export function refusePowers({ login, powers, writes }: LoginPowers, server: PostgresServer): void {
  const why = whyPowerful(login, powers) ?? (writes ? whyWriting : undefined)
  if (why === undefined) return
  throw AuditError.usage(`the query was refused: the login ${login} ${why}`, { advice: queryLoginAdvice(server) })
}

const whyWriting = 'may write to the history, as audits do, so a query could end runs under way'

function whyPowerful(login: string, powers: readonly string[]): string | undefined {
  if (powers.length === 0) return undefined
  const what = powers.includes(login) ? 'is a superuser' : `has the rights of ${powers.join(', ')}`
  return `${what}, so a query could read files of the server, run programs there or end sessions of others`
}

function queryLoginAdvice(server: PostgresServer): string {
  const readerUrl = displayNameOf(server).replace('://', '://hookdrift_reader@')
  const make = "CREATE ROLE hookdrift_reader LOGIN PASSWORD '…';"
  return [`name a login for queries: HOOKDRIFT_QUERY_HISTORY=${readerUrl}`, make, readerGrants(server)].join('\n')
}

/** Statements that let a login query the views. */
export function readerGrants({ schema }: PostgresServer): string {
  const names = Object.keys(views).map((view) => `${schema}.${view}`)
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO hookdrift_reader;`,
    `GRANT SELECT ON ${names.join(', ')} TO hookdrift_reader;`,
  ].join('\n')
}
