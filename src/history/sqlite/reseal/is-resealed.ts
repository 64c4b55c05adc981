import { closeSync, constants, openSync, readSync } from 'node:fs'

/** The schema whose upgrade reseals rows, so that no secret of an earlier version stays in clear. */
export const resealingStep = 9

/** Offset of `user_version` in the header of a database: https://www.sqlite.org/fileformat.html */
const versionOffset = 60

/**
 * Whether a history needs no resealing, by the header of its file alone. True when there is no file. May be false while
 * an upgrade is only in the log.
 */
export function isResealed(file: string): boolean {
  let handle: number | undefined
  try {
    // Without O_NONBLOCK, opening a pipe blocks.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const version = Buffer.alloc(4)
    return readSync(handle, version, 0, 4, versionOffset) === 4 ? version.readUInt32BE() >= resealingStep : false
  } catch (error) {
    // Opening the history reports the error.
    if (error instanceof Error && 'code' in error) return true
    throw error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
