import { closeSync, constants, openSync, readSync } from 'node:fs'
import { resealingStep } from './resealing-step.ts'

/** Where the header of a database has its `user_version`: https://www.sqlite.org/fileformat.html */
const place = 60

/**
 * Whether a history has nothing left to be sealed anew, by the header of its file alone: true also when there is none. False
 * may be said of one whose upgrade stands in the log still.
 */
export function isResealed(file: string): boolean {
  let handle: number | undefined
  try {
    // A pipe would keep whoever opens it waiting.
    handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const version = Buffer.alloc(4)
    return readSync(handle, version, 0, 4, place) === 4 ? version.readUInt32BE() >= resealingStep : false
  } catch (error) {
    // What is the matter with it is told by whoever opens it.
    if (error instanceof Error && 'code' in error) return true
    throw error
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
