import { join } from 'node:path'
import type { MovableHistory, VerifyRows } from '../history/movable-history.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import type { Backup, Verification, VerificationRequest } from '../history/upkeep.ts'
import { openPrivateDirectory } from './private-directory.ts'
import { thisProcess } from './system.ts'

// What takes both backends: a history in PostgreSQL is verified by a copy of its rows in a file, and backed up to one.

/** Verifies the history of a server in one state of it. Writes nothing there. */
export async function verifyDatabase(server: PostgresServer, request: VerificationRequest): Promise<Verification> {
  await using history = await openMovableDatabase(server)
  return await history.snapshot((rows) => rows.verify(request))
}

/** The chain's digest as of a run; undefined when there is no such run. */
export async function chainOf(server: PostgresServer, run: number): Promise<string | undefined> {
  await using history = await openMovableDatabase(server)
  return await history.snapshot((rows) => rows.chainOf(run))
}

/**
 * Copies the history of a server to a file, and verifies the copy. The file is either complete or absent.
 * @throws AuditError.usage when the file exists and `replace` is not set
 */
export async function backUpDatabase(
  server: PostgresServer,
  target: string,
  request: VerificationRequest & { readonly replace: boolean },
): Promise<Backup> {
  const { backUpRows } = await import('../history/sqlite/copied-rows-in-file.ts')
  await using history = await openMovableDatabase(server)
  return await history.snapshot((rows) =>
    backUpRows(rows, target, { ...request, displayName: history.displayName, now: now() }),
  )
}

/** Opens the history of a server, or the database for one, to copy it. */
export async function openMovableDatabase(server: PostgresServer): Promise<MovableHistory> {
  const { connect, upkeepPatience } = await import('../history/postgres/connect.ts')
  const { movableDatabase } = await import('../history/postgres/movable-database.ts')
  return movableDatabase(connect(server, upkeepPatience), thisProcess, verifyInFile)
}

const verifyInFile: VerifyRows = async (rows, request) => {
  const { verifyRows } = await import('../history/sqlite/copied-rows-in-file.ts')
  using directory = openPrivateDirectory('hookdrift-verify-')
  return verifyRows(rows, request, { file: join(directory.path, 'copy.db'), now: now() })
}

function now(): string {
  return new Date(thisProcess.now()).toISOString()
}
