import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HistoryLocation, HistoryServer } from '../history/location.ts'
import { makeDirectories } from '../history/make-directories.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { readTextFile } from './read-text-file.ts'
import { writeNewFile } from './write-file-atomically.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const leastCharacters = 32

export interface InstallationKey {
  readonly key: Buffer
  /** A sentence for the user, when others can read the key. */
  readonly warning?: string
}

/**
 * Reads the key that seals secrets: `HOOKDRIFT_SEAL_KEY`, then the configuration's `seal_key`, then the key file of the
 * history, which is made on first use and readable by its owner only. A history on a server has no such file: `hex:` and
 * the content of one is the same key.
 * @throws AuditError.usage when the variable is too short, or empty where a key would be made, or no key is given for a
 *   history on a server
 * @throws AuditError.failure when the file cannot be used
 */
export function installationKey(location: HistoryLocation, env: Environment): InstallationKey {
  const given = env.HOOKDRIFT_SEAL_KEY || location.sealKey
  if (given !== undefined) {
    // What a key file contains, where its history has moved to a server.
    if (/^hex:[0-9a-f]{64}$/.test(given)) return { key: Buffer.from(given.slice('hex:'.length), 'hex') }
    if (given.length >= leastCharacters) return { key: Buffer.from(given, 'utf8') }
    throw AuditError.usage(`HOOKDRIFT_SEAL_KEY is shorter than ${leastCharacters} characters`, {
      advice: 'make one with `openssl rand -hex 32`, and keep it: with another key, changed secrets go undetected',
    })
  }
  if (location.kind === 'postgres') throw keyMissing(location)
  const { keyFile: file } = location
  try {
    makeDirectories(dirname(file))
    const storedKey = readKey(file)
    if (storedKey === undefined) refuseEmptyVariable(file, env)
    return storedKey ?? makeKey(file)
  } catch (error) {
    if (error instanceof AuditError) throw error
    const isUnwritable = ['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')
    if (isUnwritable && !existsSync(file)) {
      throw AuditError.failure(`cannot write to ${dirname(file)}, the directory of the history: ${reasonOf(error)}`, {
        advice: 'let this user write there, or name a history elsewhere with --history; its key is kept next to it',
        cause: error,
      })
    }
    throw AuditError.failure(`cannot use the installation key ${file}: ${reasonOf(error)}`, {
      advice: 'check its permissions, or set HOOKDRIFT_SEAL_KEY',
      cause: error,
    })
  }
}

/**
 * Finds the existing key; undefined where none was ever made.
 * @throws AuditError as `installationKey`
 */
export function findInstallationKey(location: HistoryLocation, env: Environment): InstallationKey | undefined {
  const isGiven = (env.HOOKDRIFT_SEAL_KEY || location.sealKey) !== undefined
  return isGiven || location.kind === 'postgres' || existsSync(location.keyFile)
    ? installationKey(location, env)
    : undefined
}

/**
 * Checks that there is a key where none may be made: before work that needs one.
 * @throws AuditError.usage as `installationKey`
 */
export function requireGivenKey(location: HistoryLocation, env: Environment): void {
  if (location.kind === 'postgres') installationKey(location, env)
}

/** Several machines write to such a history: keys that each of them makes for itself never match. */
function keyMissing({ displayName }: HistoryServer): AuditError {
  return AuditError.usage(`no installation key is given for the history ${displayName}`, {
    advice:
      'make one with `openssl rand -hex 32`, keep a copy, and set HOOKDRIFT_SEAL_KEY or `seal_key` to it on every machine',
  })
}

/**
 * Refuses to make a key where a CI system gives an empty value for a secret that is not set: with a new key in each job,
 * seals never match.
 * @throws AuditError.usage
 */
export function refuseEmptyVariable(file: string, env: Environment): void {
  if (env.HOOKDRIFT_SEAL_KEY !== '') return
  throw AuditError.usage(
    `HOOKDRIFT_SEAL_KEY is empty, and there is no key ${file}: is the secret of the job not set?`,
    {
      advice: 'set it to a key of `openssl rand -hex 32` that stays the same, or unset it to have a key file made',
    },
  )
}

/** The file has one line. */
const mostBytes = 4096

function readKey(file: string): InstallationKey | undefined {
  let text: string
  try {
    text = readTextFile(file, mostBytes).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw AuditError.failure(`the installation key ${file} is damaged: expected 64 hex digits`, {
      advice: 'restore it from a backup; with a new key, the next run cannot detect changed secrets',
    })
  }
  const key = Buffer.from(text, 'hex')
  if ((statSync(file).mode & 0o077) === 0) return { key }
  return { key, warning: `the installation key ${file} is readable by others: chmod 600 it` }
}

function makeKey(file: string): InstallationKey {
  try {
    writeNewFile(file, `${randomBytes(32).toString('hex')}\n`, 0o600)
  } catch (error) {
    // Another process was first: use its key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const made = readKey(file)
  if (made === undefined) throw new Error('it vanished')
  return made
}
