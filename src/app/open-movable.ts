import { join } from 'node:path'
import type { HistoryLocation } from '../history/location.ts'
import type { MovableHistory, VerifyRows } from '../history/movable-history.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import type { Backup, RunChain, Verification, VerificationRequest } from '../history/upkeep.ts'
import { localProcess, resealingFor } from './open-history.ts'
import { openPrivateDirectory } from './private-directory.ts'
import type { ProcessContext } from './process-context.ts'
import { thisProcess } from './system.ts'

// What takes both backends: moving a history, and verifying one in PostgreSQL by a copy of its rows in a file.

/** Opens a history, or the place for one, to copy it. Its `close` ends connections. */
export async function openMovable(location: HistoryLocation, env: ProcessContext['env']): Promise<MovableHistory> {
  if (location.kind === 'postgres') return openMovableDatabase(location.server)
  const { movableFile } = await import('../history/sqlite/move/movable-file.ts')
  return movableFile(location.path, await localProcess(env), () => resealingFor(location, env))
}

/** Verifies the history of a server in one state of it. Writes nothing there. */
export async function verifyDatabase(server: PostgresServer, request: VerificationRequest): Promise<Verification> {
  return withDatabase(server, (history) => history.snapshot((rows) => rows.verify(request)))
}

/** The chain's digest as of a run. */
export async function chainOf(server: PostgresServer, run: number): Promise<RunChain> {
  return withDatabase(server, (history) => history.snapshot((rows) => rows.chainOf(run)))
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
  const { backUpRows } = await import('../history/sqlite/move/back-up-rows.ts')
  return withDatabase(server, (history) =>
    history.snapshot((rows) => backUpRows(rows, target, { ...request, shown: history.shown, now: now() })),
  )
}

async function withDatabase<Result>(
  server: PostgresServer,
  work: (history: MovableHistory) => Promise<Result>,
): Promise<Result> {
  const history = await openMovableDatabase(server)
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

async function openMovableDatabase(server: PostgresServer): Promise<MovableHistory> {
  const { connect } = await import('../history/postgres/connect.ts')
  const { movableDatabase } = await import('../history/postgres/move/movable-database.ts')
  return movableDatabase(connect(server), thisProcess, verifyInFile)
}

const verifyInFile: VerifyRows = async (rows, request) => {
  const { verifyRows } = await import('../history/sqlite/move/verify-rows.ts')
  using directory = openPrivateDirectory('hookdrift-verify-')
  return verifyRows(rows, request, { file: join(directory.path, 'copy.db'), now: now() })
}

function now(): string {
  return new Date(thisProcess.now()).toISOString()
}
