import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Client, type ClientConfig } from 'pg'
import { AuditError, reasonOf } from '../../model/errors.ts'
import { withoutUndefined } from '../../model/without-undefined.ts'
import type { PostgresServer } from '../postgres-server.ts'

type ConnectCallback = ((error: Error) => void) | ((error: null, client: Client) => void)

/**
 * A client that drops its connection where it cannot log in. The server would keep it open for a minute, and the open
 * connection this process.
 */
export class LoginClient extends Client {
  override connect(): Promise<Client>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<Client> | undefined {
    if (callback === undefined) {
      return super.connect().catch((error: unknown) => {
        this.drop()
        throw error
      })
    }
    const after = callback as (error: Error | null, client: Client) => void // The two forms in one.
    super.connect((error: Error | null) => {
      if (error !== null && error !== undefined) this.drop()
      after(error, this)
    })
    return undefined
  }

  /** Ends the connection without a word to the server. Statements that wait for an answer fail with `error`. */
  drop(error?: Error): void {
    // The types of pg leave it out.
    const { connection } = this as unknown as { readonly connection: { readonly stream: { destroy(e?: Error): void } } }
    connection.stream.destroy(error)
  }
}

/** How one connection is opened. */
export function clientConfig(
  server: PostgresServer,
  { connectTimeoutMs = 10_000 }: { readonly connectTimeoutMs?: number } = {},
): ClientConfig {
  const { host, port, user, password, database } = server
  // pg takes the environment (PGHOST, PGPASSWORD and so on) and the password file for what is absent.
  return {
    ...withoutUndefined({ host, port, user, password, database }),
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
