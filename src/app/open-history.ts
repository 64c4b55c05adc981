import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { HistoryExamination } from '../history/examination.ts'
import type { History } from '../history/history.ts'
import type { HistoryLocation } from '../history/location.ts'
import type { MovableHistory } from '../history/movable-history.ts'
import type { ConnectOptions } from '../history/postgres/connect.ts'
import type { NameKind, ResourceName } from '../history/sql/read-names.ts'
import type { HistorySize, HistoryUpkeep, VerificationRequest, ViewExplained } from '../history/upkeep.ts'
import { AuditError } from '../model/errors.ts'
import { type HistoryOptions, locateHistory } from './locate-history.ts'
import type { PoolState } from './pool/workers.ts'
import type { ProcessContext } from './process-context.ts'
import { systemClock, thisProcess } from './system.ts'

// This file and copy-database.ts choose a backend: all others see the contracts in src/history.

type Environment = ProcessContext['env']

type Patience = Pick<ConnectOptions, 'mostSilenceMs'>

/**
 * Opens a history, and creates it where there is none.
 * @throws AuditError.failure when it cannot be used
 */
export async function openHistory(
  location: HistoryLocation,
  env: Environment,
  patience: Patience = {},
): Promise<History> {
  if (location.kind === 'postgres') {
    const { openPostgresHistory } = await import('../history/postgres/postgres-history.ts')
    return openPostgresHistory(location.server, thisProcess, patience)
  }
  const { openSqliteHistory } = await import('../history/sqlite/sqlite-history.ts')
  return openSqliteHistory(location.path, await localProcess(env))
}

/**
 * Opens a history that exists.
 * @throws AuditError.failure when there is none, or it cannot be used
 */
export async function openExistingHistory(
  location: HistoryLocation,
  env: Environment,
  patience: Patience = {},
): Promise<History> {
  if (location.kind === 'postgres') {
    const { refuseMissing } = await import('../history/postgres/migrate.ts')
    await refuseMissing(location.server)
  } else {
    const { refuseMissing } = await import('../history/sqlite/refuse-files.ts')
    refuseMissing(location.path)
  }
  return openHistory(location, env, patience)
}

/** Opens an empty history of which nothing is ever in a file. */
export async function openMemory() {
  return (await import('../history/sqlite/history-in-memory.ts')).historyInMemory()
}

/** Opens the upkeep of a history, works with it, and closes it. */
export async function withUpkeep<Result>(
  location: HistoryLocation,
  env: Environment,
  work: (upkeep: HistoryUpkeep) => Promise<Result>,
): Promise<Result> {
  const upkeep = await openUpkeep(location, env)
  try {
    return await work(upkeep)
  } finally {
    await upkeep.close()
  }
}

/** What a history takes, and what is free where it lies. */
export async function spaceOf(location: HistoryLocation): Promise<HistorySize> {
  if (location.kind === 'postgres') {
    return (await import('../history/postgres/examine-database.ts')).spaceOfDatabase(location.server)
  }
  return (await import('../history/sqlite/space-of-file.ts')).spaceOfFile(location.path)
}

/** A scrape must not wait for a server that does not answer. */
const mostMs = 3_000

/** Bytes of a history with its companion files; undefined where its server does not answer. */
export async function historySize(location: HistoryLocation): Promise<number | undefined> {
  const size = spaceOf(location).then(({ bytes }) => bytes)
  if (location.kind === 'file') return size
  const answered = new AbortController()
  const over = systemClock.sleep(mostMs, answered.signal).catch(() => {})
  try {
    return (await Promise.race([size, over])) ?? undefined
  } catch (error) {
    if (error instanceof AuditError) return undefined
    throw error
  } finally {
    answered.abort()
    size.catch(() => {}) // Its answer is not used.
  }
}

async function openUpkeep(location: HistoryLocation, env: Environment): Promise<HistoryUpkeep> {
  if (location.kind === 'postgres') {
    const { server } = location
    const { postgresUpkeep } = await import('../history/postgres/postgres-upkeep.ts')
    const { backUpDatabase, chainOf, verifyDatabase } = await import('./copy-database.ts')
    return postgresUpkeep(server, thisProcess, {
      verify: (request) => verifyDatabase(server, request),
      chainOf: (run) => chainOf(server, run),
      backUp: (target, request) => backUpDatabase(server, target, request),
    })
  }
  const { sqliteUpkeep } = await import('../history/sqlite/sqlite-upkeep.ts')
  return sqliteUpkeep(location.path, await localProcess(env))
}

/**
 * Examines and verifies a history without changing anything; there may be none.
 * @throws AuditError.failure when it is there and cannot be used
 */
export async function examineHistory(
  location: HistoryLocation,
  env: Environment,
  request: VerificationRequest,
): Promise<HistoryExamination> {
  if (location.kind === 'postgres') {
    const { examineDatabase } = await import('../history/postgres/examine-database.ts')
    const { verifyDatabase } = await import('./copy-database.ts')
    return examineDatabase(location.server, () => verifyDatabase(location.server, request))
  }
  const { examineFile } = await import('../history/sqlite/examine-file.ts')
  const { mounts } = await localProcess(env)
  return examineFile(location.path, mounts(), request)
}

/** Opens a history to copy, or the target of a copy. */
export async function openMovable(location: HistoryLocation, env: Environment): Promise<MovableHistory> {
  if (location.kind === 'postgres') return (await import('./copy-database.ts')).openMovableDatabase(location.server)
  const { movableFile } = await import('../history/sqlite/movable-file.ts')
  return movableFile(location.path, await localProcess(env))
}

/** Names in a history that exists, for completion: see `readNames`. */
export async function namesIn(
  location: HistoryLocation,
  what: NameKind,
  prefix: string,
): Promise<readonly ResourceName[]> {
  if (location.kind === 'postgres') {
    return (await import('../history/postgres/read-names.ts')).readNames(location.server, what, prefix)
  }
  return (await import('../history/sqlite/read-names.ts')).readNames(location.path, what, prefix)
}

/**
 * Changes when another history is put at the location. Of a directory that is not writable, from which a history was read
 * into memory, also when it is written to.
 * @throws an error when there is none, or it cannot be reached
 */
export async function identityOf(location: HistoryLocation): Promise<string> {
  if (location.kind === 'postgres') {
    return (await import('../history/postgres/postgres-history.ts')).identifyHistory(location.server)
  }
  const { isWritable } = await import('../history/sqlite/open-unwritable.ts')
  const { dev, ino, size, mtimeMs } = statSync(location.path)
  const state = isWritable(dirname(location.path)) ? [] : [size, mtimeMs]
  return JSON.stringify([location.path, dev, ino, ...state])
}

/** What the workers of a history on a server do; undefined for a file. */
export async function readPoolOf(location: HistoryLocation): Promise<PoolState | undefined> {
  if (location.kind === 'file') return undefined
  const { readPool } = await import('./pool/open-pool.ts')
  return readPool(location.server)
}

/** The same for whom a command answers. Workers read every project, so readers of some do not learn what they do. */
export async function findPool(options: HistoryOptions, terminal: ProcessContext): Promise<PoolState | undefined> {
  return terminal.reading?.projects === undefined ? readPoolOf(await locateHistory(options, terminal)) : undefined
}

/** The views that users query, the same in every history. */
export async function explainViews(): Promise<readonly ViewExplained[]> {
  return (await import('../history/sqlite/views.ts')).explainViews()
}

/** Loads what runs a reading statement of a user on the history in a file. */
export async function loadQuery() {
  return (await import('../history/sqlite/run-query.ts')).askInProcess
}

/** This process on this machine, as the owner of a lease. */
async function localProcess(env: Environment) {
  const { readMounts } = await import('../history/sqlite/network-file-system.ts')
  const mounts = () => (env.HOOKDRIFT_ALLOW_NETWORK_FILE_SYSTEM === '1' ? undefined : readMounts())
  return { ...thisProcess, mounts }
}
