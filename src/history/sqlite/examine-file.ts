import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import type { HistoryContent, HistoryExamination } from '../examination.ts'
import { goneChannelsIn } from '../sql/outbox.ts'
import { moveIn } from '../sql/runs.ts'
import type { VerificationRequest } from '../upkeep.ts'
import { asHistoryError } from './describe-damage.ts'
import { nearestRealPath, refuseNetworkFileSystem } from './network-file-system.ts'
import { refuseOtherSteps, schemaVersion } from './open-database.ts'
import { openOfSchema } from './open-to-examine.ts'
import { isWritable, openInMemory } from './open-unwritable.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { tryPlace } from './try-place.ts'
import { verifyHistory } from './verify/verify-history.ts'

/**
 * Examines and verifies the history in a file, and tries its place; nothing next to it changes, and there may be none.
 * `mounts`: in the form of `/proc/self/mountinfo`; undefined where unavailable.
 * @throws AuditError.failure when a history cannot lie there, or it is not a history
 */
export async function examineFile(
  file: string,
  mounts: string | undefined,
  request: VerificationRequest,
): Promise<HistoryExamination> {
  refuseNetworkFileSystem(file, mounts)
  tryPlace(file)
  const exists = existsSync(file)
  const directory = nearestRealPath(exists ? dirname(file) : file)
  return {
    exists,
    isWritable: isWritable(directory) && (!exists || isWritable(file)),
    isReadableByOthers: exists && (statSync(file).mode & 0o044) !== 0,
    isLocal: mounts !== undefined,
    freeBytes: freeBytesAt(directory),
    server: undefined,
    content: exists ? await readContent(file, request) : undefined,
  }
}

async function readContent(file: string, request: VerificationRequest): Promise<HistoryContent> {
  const db = openOfSchema(file, refuseOtherSteps, openUnchanged)
  try {
    const { has, knows } = schemaVersion(db)
    const bytes = statSync(file).size
    const runs = has === knows ? await readRuns(db, request) : unread
    return { schema: has, knownSchema: knows, bytes, ...runs }
  } catch (error) {
    throw asHistoryError(error, file)
  } finally {
    db.close()
  }
}

/** A small machine has the memory for this copy. Of a larger history, two side files without content are left behind. */
const mostCopied = 256 * 1024 * 1024

/**
 * The history in memory, where no other process uses the file: opening the file would leave the two side files of its
 * write-ahead log behind. undefined where the file is to be opened.
 */
function openUnchanged(file: string): Database | undefined {
  const isUsed = () => existsSync(`${file}-wal`) || existsSync(`${file}-shm`)
  const stats = statSync(file)
  if (!stats.isFile() || stats.size === 0 || stats.size > mostCopied || isUsed()) return undefined
  const db = openInMemory(file)
  // A run that began meanwhile may have changed the file while it was read.
  if (!isUsed()) return db
  db?.close()
  return undefined
}

const unread = { committedRuns: 0, moved: undefined, sealKeyId: undefined, goneChannels: [], verification: undefined }

async function readRuns(
  db: Database,
  request: VerificationRequest,
): Promise<Omit<HistoryContent, 'schema' | 'knownSchema' | 'bytes'>> {
  const committed = db.prepare<[], string>("SELECT seal_key_id FROM run WHERE state = 'committed' ORDER BY number DESC")
  const keys = committed.pluck().all()
  const session = new SqliteDatabase(db)
  return {
    committedRuns: keys.length,
    sealKeyId: keys[0],
    moved: await moveIn(session),
    goneChannels: await goneChannelsIn(session),
    verification: await verifyHistory(db, request),
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
