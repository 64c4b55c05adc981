import { dirname, join, resolve } from 'node:path'
import { AuditError } from '../model/errors.ts'

/** Where a history is, and where the key that seals its secrets is. */
export interface HistoryLocation {
  readonly kind: 'file'
  /** Absolute. */
  readonly path: string
  /** The installation key that the configuration contains. A secret: for the sealer only. */
  readonly sealKey?: string
  /** The file with the installation key, made on first use, where no other key is given. */
  readonly keyFile: string
  /** For messages and logs: contains no secret. */
  readonly shown: string
}

/** `postgres` of `postgres://user:password@host/name`; undefined for a path. */
export function urlScheme(text: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,30}):\/\//i.exec(text)?.[1]
}

/**
 * Reads the name of a history, as `--history`, `HOOKDRIFT_HISTORY` and the configuration give it. A relative path is
 * resolved against `base`.
 * @throws AuditError.usage when it is a URL, or ends as a directory does
 */
export function readLocation(text: string, base: string): HistoryLocation {
  const scheme = urlScheme(text)
  if (scheme !== undefined) {
    // The rest of a URL may contain a password.
    throw AuditError.usage(`the history is named by a URL (${scheme}://…), and only files are supported`, {
      advice: 'name a file, such as ./hookdrift.db',
    })
  }
  if (/[/\\]$/.test(text)) {
    throw AuditError.usage(`the history ${text} is named as a directory, expected a file`, {
      advice: `name a file in it, such as ${text}hookdrift.db`,
    })
  }
  const path = resolve(base, text)
  return { kind: 'file', path, keyFile: join(dirname(path), 'hookdrift.key'), shown: path }
}
