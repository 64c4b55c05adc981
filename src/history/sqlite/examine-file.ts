import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { HistoryContent, HistoryExamination } from '../examination.ts'
import { withDamageDescribed } from './describe-damage.ts'
import { realPlace, refuseNetworkFileSystem } from './network-file-system.ts'
import { schemaVersion } from './open-database.ts'
import { openOfSchema } from './open-to-examine.ts'

/**
 * Examines the history in a file, read-only; there may be none.
 * `mounts`: in the form of `/proc/self/mountinfo`; undefined where unavailable.
 * @throws AuditError.failure when it lies on a network file system, or is not a history
 */
export function examineFile(file: string, mounts: string | undefined): HistoryExamination {
  refuseNetworkFileSystem(file, mounts)
  const exists = existsSync(file)
  const place = realPlace(exists ? dirname(file) : file)
  return {
    exists,
    isWritable: isWritable(place) && (!exists || isWritable(file)),
    isReadableByOthers: exists && (statSync(file).mode & 0o044) !== 0,
    freeBytes: freeBytesAt(place),
    content: exists ? readContent(file) : undefined,
  }
}

function readContent(file: string): HistoryContent {
  const db = openOfSchema(file, () => {})
  try {
    const { has, known } = schemaVersion(db)
    const bytes = statSync(file).size
    const runs = has === known ? withDamageDescribed(file, () => readRuns(db)) : unread
    return { schema: has, knownSchema: known, bytes, ...runs }
  } finally {
    db.close()
  }
}

const unread = { committedRuns: 0, sealKeyId: undefined }

function readRuns(db: Database): Pick<HistoryContent, 'committedRuns' | 'sealKeyId'> {
  const committed = db.prepare<[], string>("SELECT seal_key_id FROM run WHERE state = 'committed' ORDER BY number DESC")
  const keys = committed.pluck().all()
  return { committedRuns: keys.length, sealKeyId: keys[0] }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function freeBytesAt(directory: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return undefined
  }
}
