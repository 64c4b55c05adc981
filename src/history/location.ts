import { dirname, join, resolve } from 'node:path'
import { AuditError } from '../model/errors.ts'
import { displayNameOf, type PostgresServer, readPostgresUrl } from './postgres-server.ts'

/** Where a history is, and which key seals its secrets. */
export type HistoryLocation = HistoryFile | HistoryServer

interface LocationFacts {
  /** The installation key that the configuration contains. A secret: for the sealer only. */
  readonly sealKey?: string
  /** For messages and logs: contains no secret. */
  readonly displayName: string
}

/** A history in a file, with its key next to it. */
export interface HistoryFile extends LocationFacts {
  readonly kind: 'file'
  /** Absolute. */
  readonly path: string
  /** The file with the installation key, made on first use, where no other key is given. */
  readonly keyFile: string
}

/** A history in a database, which several machines may share: so its key must be given to each. */
export interface HistoryServer extends LocationFacts {
  readonly kind: 'postgres'
  readonly server: PostgresServer
}

/** `postgres` of `postgres://user:password@host/name`; undefined for a path. */
export function urlScheme(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(text)?.[1]
}

/**
 * Reads the name of a history, as `--history`, `HOOKDRIFT_HISTORY` and the configuration give it. A relative path is
 * resolved against `base`.
 * @throws AuditError.usage when it is a URL of something else than PostgreSQL, or ends as a directory does
 */
export function readLocation(text: string, base: string): HistoryLocation {
  const scheme = urlScheme(text)?.toLowerCase()
  if (scheme === 'postgres' || scheme === 'postgresql') {
    const { rootCertificate, ...rest } = readPostgresUrl(text)
    const server = { ...rest, rootCertificate: rootCertificate && resolve(base, rootCertificate) }
    return { kind: 'postgres', server, displayName: displayNameOf(server) }
  }
  // A mistyped URL may contain a password, which a message about a path would show.
  if (/^postgres(?:ql)?:/i.test(text) && text.includes('@')) {
    throw AuditError.usage('the history is named by a URL that lacks the two slashes (postgres:…)', {
      advice: 'name it as postgres://HOST/DATABASE',
    })
  }
  if (scheme !== undefined) {
    // The rest of a URL may contain a password.
    throw AuditError.usage(`the history is named by a URL that is not of PostgreSQL (${scheme}://…)`, {
      advice: 'name a file, such as ./hookdrift.db, or postgres://HOST/DATABASE',
    })
  }
  if (/[/\\]$/.test(text)) {
    throw AuditError.usage(`the history ${text} is named as a directory, expected a file`, {
      advice: `name a file in it, such as ${text}hookdrift.db`,
    })
  }
  const path = resolve(base, text)
  return { kind: 'file', path, keyFile: join(dirname(path), 'hookdrift.key'), displayName: path }
}
