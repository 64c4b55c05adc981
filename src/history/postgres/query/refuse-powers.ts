import { AuditError } from '../../../model/errors.ts'
import { type PostgresServer, shownServer } from '../../postgres-server.ts'
import { views } from '../../views.ts'

/** Their members may read and write files, run programs or end sessions of others, also in a read-only transaction. */
const powerful = ['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend']

/** SQL: the powerful roles that the login is or may become, sorted. A statement can change its role at any time. */
export const powersSql = `ARRAY(SELECT rolname::text FROM pg_catalog.pg_roles
  WHERE (rolsuper OR rolname IN (${powerful.map((name) => `'${name}'`).join(', ')}))
    AND pg_has_role(session_user, oid, 'MEMBER') ORDER BY 1)`

/**
 * Refuses queries under a login that may do more than read the database.
 * @throws AuditError.usage with the statements that make a login of its own
 */
export function refusePowers(login: string, powers: readonly string[], server: PostgresServer): void {
  if (powers.length === 0) return
  const what = powers.includes(login) ? 'is a superuser' : `has the rights of ${powers.join(', ')}`
  throw AuditError.usage(
    `the query was refused: the login ${login} ${what}, so a query could read files of the server or run programs there`,
    { advice: ownLogin(server) },
  )
}

function ownLogin(server: PostgresServer): string {
  const place = shownServer(server).replace('://', '://hookdrift_reader@')
  const make = "CREATE ROLE hookdrift_reader LOGIN PASSWORD '…';"
  return [`name a login for queries: HOOKDRIFT_QUERY_HISTORY=${place}`, make, readerGrants(server)].join('\n')
}

/** Statements that let a login query the views. */
export function readerGrants({ schema }: PostgresServer): string {
  const names = Object.keys(views).map((view) => `${schema}.${view}`)
  return [
    `GRANT USAGE ON SCHEMA ${schema} TO hookdrift_reader;`,
    `GRANT SELECT ON ${names.join(', ')} TO hookdrift_reader;`,
  ].join('\n')
}
