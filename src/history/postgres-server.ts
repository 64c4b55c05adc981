import { AuditError } from '../model/errors.ts'

/** How the program reaches a PostgreSQL server, and in which schema of which database the history is. */
export interface PostgresServer {
  /** A name, an address, or the directory of a socket; undefined: as PGHOST says, or else localhost. */
  readonly host: string | undefined
  readonly port: number | undefined
  readonly user: string | undefined
  /** A secret: for the connection only. Without one, PGPASSWORD or the user's password file gives it. */
  readonly password: string | undefined
  readonly database: string | undefined
  readonly schema: string
  readonly tls: TlsMode
  /** File of the certificates that may have signed the server's; undefined: those that Node knows. */
  readonly rootCertificate: string | undefined
}

/** As libpq names them, without its modes that fall back to plain text. */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const
export type TlsMode = (typeof tlsModes)[number]

/** In place of a host that is absent. */
const noHost = 'none.invalid'

const parameters = ['sslmode', 'sslrootcert', 'schema', 'host'] as const

/**
 * Reads `postgres://user:password@host:port/database?sslmode=…&sslrootcert=…&schema=…`. Unless specified, the
 * certificate of a server beyond this machine is verified, and the schema is `hookdrift`.
 * @throws AuditError.usage with a message that contains no part of the URL that may be secret
 */
export function readPostgresUrl(text: string): PostgresServer {
  // As in libpq, the host may be absent after a user: `postgres://user@/database?host=/run/postgresql`.
  const filled = text.replace(/^([a-z]{1,20}:\/\/[^/?#]{0,8192}@)(?=[/?#]|$)/i, `$1${noHost}`)
  const url = URL.canParse(filled) ? new URL(filled) : undefined
  if (url === undefined) {
    throw refusal('is not a URL', 'write `:`, `/`, `?`, `#`, `@` and `%` of a password as `%3A`, `%2F` and so on')
  }
  // A password that ends the host ends in one of these, which messages would show.
  if (url.hash !== '' || `${url.pathname}${url.search}`.includes('@')) {
    throw refusal('has `#`, or `@` after the host', 'write `/`, `?`, `#`, `@` and `%` as `%2F`, `%3F`, `%23` and so on')
  }
  for (const name of url.searchParams.keys()) {
    if (!parameters.some((parameter) => parameter === name)) {
      throw refusal(`has the parameter ${JSON.stringify(name)}`, `use ${parameters.join(', ')} only`)
    }
  }
  const host = url.searchParams.get('host') ?? hostOf(url)
  const [database, ...rest] = decoded(url.pathname.slice(1)).split('/')
  if (rest.length > 0) throw refusal('names more than a database after the host', 'end it with /DATABASE')
  const schema = url.searchParams.get('schema') ?? 'hookdrift'
  // Views for readers of some projects are in a schema of the same name and this ending.
  if (!/^[a-z_][a-z0-9_]{0,55}$/.test(schema) || /^pg_|_scoped$/.test(schema)) {
    throw refusal(`names the schema ${JSON.stringify(schema)}`, 'use small letters, digits and _, 56 at most')
  }
  return {
    host,
    schema,
    port: url.port === '' ? undefined : Number(url.port),
    user: decoded(url.username) || undefined,
    password: decoded(url.password) || undefined,
    database: database || undefined,
    tls: tlsOf(url.searchParams.get('sslmode'), host),
    rootCertificate: url.searchParams.get('sslrootcert') ?? undefined,
  }
}

/** The server as messages and logs show it: its URL, without user and password. */
export function displayNameOf({ host = 'localhost', port, database = '', schema }: PostgresServer): string {
  const isSocket = host.startsWith('/')
  // A port is written after a host; that of a socket is its file's name.
  const name = isSocket ? (port === undefined ? '' : 'localhost') : host.includes(':') ? `[${host}]` : host
  const parameters = [
    ...(isSocket ? [`host=${encodeURI(host).replaceAll(/[&#+?]/g, encodeURIComponent)}`] : []),
    ...(schema === 'hookdrift' ? [] : [`schema=${schema}`]),
  ]
  const address = `postgres://${name}${port === undefined ? '' : `:${port}`}/${encodeURIComponent(database)}`
  return parameters.length === 0 ? address : `${address}?${parameters.join('&')}`
}

/**
 * A URL, or a command line with one, without the password in it, also where that is not escaped. Other texts stay as they
 * are.
 */
export function withoutPassword(text: string): string {
  return text.replace(/(\bpostgres(?:ql)?:\/\/[^\s/?#:]{0,4096}):(?:\S{0,4096}|[^\n]{0,4096})@/gi, '$1@')
}

function hostOf({ hostname }: URL): string | undefined {
  return hostname === '' || hostname === noHost ? undefined : decoded(hostname).replace(/^\[(.{0,100})\]$/, '$1')
}

function tlsOf(given: string | null, host: string | undefined): TlsMode {
  if (given === null) return host === undefined || isThisMachine(host) ? 'disable' : 'verify-full'
  const mode = tlsModes.find((each) => each === given)
  if (mode === undefined) throw refusal(`has sslmode=${JSON.stringify(given)}`, `use one of ${tlsModes.join(', ')}`)
  return mode
}

/** Whether the server is reached without a network. */
export function isOnThisMachine({ host }: PostgresServer): boolean {
  return host === undefined || isThisMachine(host)
}

function isThisMachine(host: string): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw refusal('has a `%` that begins no escape', 'write `%` of a password as `%25`')
  }
}

function refusal(what: string, advice: string): AuditError {
  return AuditError.usage(`the URL of the history (postgres://…) ${what}`, { advice })
}
