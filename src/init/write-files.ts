import { accessSync, constants, lstatSync, mkdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { AuditError, reasonOf } from '../model/errors.ts'
import type { PlannedFile } from './plan-files.ts'

/**
 * Checks that files can be written, before anything else is done.
 * @throws AuditError.usage when some exist, which are never replaced, or the directory cannot be written to
 */
export function refuseExisting(directory: string, paths: readonly string[]): void {
  const existing = paths.filter((path) => isThere(join(directory, path)))
  if (existing.length > 0) {
    const [verb, them] = existing.length === 1 ? ['exists', 'it'] : ['exist', 'them']
    throw AuditError.usage(`${existing.join(', ')} ${verb} already, and init replaces no file`, {
      advice: `move ${them} away, or name another directory with --directory`,
    })
  }
  const nearest = nearestExisting(directory)
  try {
    if (!statSync(nearest).isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' })
    accessSync(nearest, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unwritable(directory, error)
  }
}

/**
 * Writes all files, or none: when one cannot be written, those before it and their directories are removed.
 * @throws AuditError.usage when one cannot be written, or exists meanwhile
 */
export function writeFiles(directory: string, files: readonly PlannedFile[]): void {
  const undo: (() => void)[] = []
  let current = directory
  try {
    for (const { path, text } of files) {
      current = join(directory, path)
      makeDirectory(dirname(current), undo)
      writeFileSync(current, '', { flag: 'wx' })
      const made = current
      undo.push(() => rmSync(made, { force: true }))
      writeFileSync(current, text)
    }
  } catch (error) {
    for (const revert of undo.reverse()) revertQuietly(revert)
    throw unwritable(current, error)
  }
}

/** Makes a directory and its parents, and notes how to remove those that it made. */
function makeDirectory(path: string, undo: (() => void)[]): void {
  if (isThere(path)) return
  makeDirectory(dirname(path), undo)
  mkdirSync(path)
  undo.push(() => rmdirSync(path))
}

/** What cannot be removed must not hide why the writing failed. */
function revertQuietly(revert: () => void): void {
  try {
    revert()
  } catch {}
}

function unwritable(path: string, error: unknown): AuditError {
  return AuditError.usage(`cannot write ${path}: ${reasonOf(error)}`, {
    advice: 'let this user write there, or name another directory with --directory',
    cause: error,
  })
}

/** Also a link that leads nowhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw unwritable(path, error)
  }
}

function nearestExisting(directory: string): string {
  const path = resolve(directory)
  const parent = dirname(path)
  return isThere(path) || parent === path ? path : nearestExisting(parent)
}
