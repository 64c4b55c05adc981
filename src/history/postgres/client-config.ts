import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { ClientConfig } from 'pg'
import { AuditError, reasonOf } from '../../model/errors.ts'
import type { PostgresServer } from '../postgres-server.ts'

/** How one connection is opened. */
export function clientConfig(
  server: PostgresServer,
  { connectTimeoutMs = 10_000 }: { readonly connectTimeoutMs?: number } = {},
): ClientConfig {
  const { host, port, user, password, database } = server
  // pg takes the environment (PGHOST, PGPASSWORD and so on) and the password file for what is absent.
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
    ...(database === undefined ? {} : { database }),
    ssl: tlsOptions(server),
    connectionTimeoutMillis: connectTimeoutMs,
    // Without it, a client would wait for ever for an answer that a lost machine does not send.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'hookdrift',
  }
}

function tlsOptions({ tls, rootCertificate: file }: PostgresServer): boolean | ConnectionOptions {
  if (tls === 'disable') return false
  if (tls === 'require') return { rejectUnauthorized: false }
  const ca = file === undefined ? {} : { ca: readCertificate(file) }
  return tls === 'verify-full' ? ca : { ...ca, checkServerIdentity: () => undefined }
}

function readCertificate(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw AuditError.failure(`cannot read ${file}, the root certificate of the history: ${reasonOf(error)}`, {
      advice: 'correct `sslrootcert` in the URL of the history',
      cause: error,
    })
  }
}
