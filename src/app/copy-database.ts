import { join } from 'node:path'
import { verdictOf } from '../audit/compose-report.ts'
import { openSecrets } from '../gateway/inventory/open-secrets.ts'
import type { HistoryRows, MovableHistory, VerifyRows } from '../history/movable-history.ts'
import type { PostgresServer } from '../history/postgres-server.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { copyRows } from '../history/table-rows.ts'
import type { Backup, Verification, VerificationDepth, VerificationRequest } from '../history/upkeep.ts'
import { AuditError } from '../model/errors.ts'
import { shellWord } from '../report/text/commands.ts'
import { openPrivateDirectory } from './private-directory.ts'
import { thisProcess } from './system.ts'
import type { Progress } from './watch-run.ts'

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

interface CopiedHistory {
  /** The last committed run. */
  readonly run: CommittedRun | null
  readonly rows: number
}

interface CopyRequest extends VerificationRequest {
  /** Copies next to runs, and leaves the original in use: a backup. */
  readonly isSnapshot: boolean
}

/**
 * Copies a history with its ids, so that its chain stays what it is, and verifies it before and after. The copy counts
 * when it verifies; the original is then marked as moved, so that no run goes on in it.
 * @throws AuditError.usage when the target contains a history
 * @throws AuditError.busy when a run writes to the original, or when it was moved before
 * @throws AuditError.failure when the original or the copy does not verify
 */
export async function copyHistory(
  from: MovableHistory,
  to: MovableHistory,
  { isSnapshot, ...request }: CopyRequest,
): Promise<CopiedHistory> {
  if (from.displayName === to.displayName) {
    throw AuditError.usage(`${from.displayName} cannot be copied to itself`, { advice: 'name another place' })
  }
  const copy = async (original: HistoryRows) => {
    refuseBroken(await original.verify(request), {
      what: `nothing was copied: ${from.displayName} does not verify`,
      advice: `run \`hookdrift verify --history ${shellWord(from.displayName)}\`, and copy the last backup that verifies`,
    })
    const contains = async (run: number, chain: string) => (await original.chainOf(run)) === chain
    return to.fill({ rows: original.rows, contains, isMove: !isSnapshot }, async (target) => {
      const rows = await copyRows(original, target)
      const verification = await target.verify(request)
      refuseBroken(verification, {
        what: `the copy was removed: what ${to.displayName} returned does not verify`,
        advice: 'the original is unchanged; check the disk or the server of the new place, then copy again',
      })
      return { run: verification.run, rows }
    })
  }
  return isSnapshot ? from.snapshot(copy) : from.move(to.displayName, copy)
}

function refuseBroken({ ok, checks }: Verification, { what, advice }: { what: string; advice: string }): void {
  if (ok) return
  const failed = checks.find((check) => check.ok === false)
  throw AuditError.failure(`${what}: ${failed?.detail}`, { advice })
}

/** What verifying a history takes from above it. */
export function verificationOf(depth: VerificationDepth, progress?: Progress): VerificationRequest {
  const onCheck = (done: number, total: number) => progress?.show('verifying the history', done, total)
  return { depth, exitCodeOf: (record) => verdictOf(record).exit_code, openSecrets, onCheck }
}
