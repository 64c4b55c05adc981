import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a directory and its missing parents. Node's recursive mkdir never returns where the file system reports an
 * existing parent as missing, as below `/proc`.
 */
export function makeDirectories(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectories(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process made it first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
