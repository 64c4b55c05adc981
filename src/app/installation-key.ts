import { randomBytes } from 'node:crypto'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeDirectories } from '../history/sqlite/make-directories.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { readTextFile } from './read-text-file.ts'

export interface InstallationKey {
  readonly key: Buffer
  /** A sentence for the user, when others can read the key. */
  readonly warning?: string
}

/**
 * Reads the key that seals secrets: `HOOKDRIFT_SEAL_KEY`, else the file `hookdrift.key` next to the history, which is
 * made on first use and readable by its owner only.
 * @throws AuditError.usage when the variable is too short
 * @throws AuditError.failure when the file cannot be used
 */
export function installationKey(history: string, env: Readonly<Record<string, string | undefined>>): InstallationKey {
  const given = env.HOOKDRIFT_SEAL_KEY
  if (given !== undefined && given !== '') {
    if (given.length >= 32) return { key: Buffer.from(given, 'utf8') }
    throw AuditError.usage('HOOKDRIFT_SEAL_KEY is shorter than 32 characters', {
      advice: 'make one with `openssl rand -hex 32`, and keep it: with another key, changed secrets go undetected',
    })
  }
  const file = keyFile(history)
  try {
    makeDirectories(dirname(file))
    return readKey(file) ?? makeKey(file)
  } catch (error) {
    if (error instanceof AuditError) throw error
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
export function findInstallationKey(
  history: string,
  env: Readonly<Record<string, string | undefined>>,
): Buffer | undefined {
  const isGiven = (env.HOOKDRIFT_SEAL_KEY ?? '') !== ''
  return isGiven || existsSync(keyFile(history)) ? installationKey(history, env).key : undefined
}

function keyFile(history: string): string {
  return join(dirname(history), 'hookdrift.key')
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
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // Another process was first: use its key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const made = readKey(file)
  if (made === undefined) throw new Error('it vanished')
  return made
}
