import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and those above it that are missing. Node's own way of doing so never comes back where the file
 * system answers that a parent is missing which is there, as below `/proc`.
 */
export function makeDirectories(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectories(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
