import { thisProcess } from '../../src/app/system.ts'
import type { Draft, History } from '../../src/history/history.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { readPostgresUrl } from '../../src/history/postgres-server.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { AuditError, messageOf } from '../../src/model/errors.ts'
import { isoTime } from '../../src/model/time.ts'
import { aStart, at, aVersion, payments, walkAll } from './samples.ts'

// Runs as a process of its own: its parent asks it to begin a run, and then to commit it.
// `node lease-contender.ts FILE|URL [own]`; `own`: its clock counts, which passes only as the parent sets it ahead.

/** A number sets the clock ahead by so many milliseconds. */
export type Order = 'begin' | 'commit' | number
export type Answer =
  | { readonly won: true; readonly ms: number; readonly run: number }
  | { readonly won: false; readonly ms: number; readonly exitCode: number | null; readonly message: string }
  | { readonly isCommitted: boolean; readonly message: string }

const [, , place = '', clock] = process.argv
const usesLocalClock = clock === 'own'
let aheadMs = 0
let held: { history: History; draft: Draft } | undefined
const owner = { ...thisProcess, now: () => (usesLocalClock ? Date.parse(at(0)) + aheadMs : Date.now()), usesLocalClock }

process.on('message', async (order) => {
  if (typeof order === 'number') aheadMs += order
  else process.send?.(order === 'begin' ? await begin() : await commit())
})
process.send?.({ isCommitted: false, message: 'ready' } satisfies Answer)

async function begin(): Promise<Answer> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  let history: History | undefined
  try {
    history = place.includes('://')
      ? await openPostgresHistory(readPostgresUrl(place), owner)
      : openSqliteHistory(place, owner)
    const draft = await history.begin(aStart(isoTime(owner.now())))
    held = { history, draft }
    await walkAll(draft)
    // By its rows the history says whose runs it has.
    await draft.stage(payments, [aVersion(rowsOf(draft.run).early)])
    return { won: true, ms: took(), run: draft.run }
  } catch (error) {
    await history?.close()
    const exitCode = error instanceof AuditError ? error.exitCode : null
    return { won: false, ms: took(), exitCode, message: messageOf(error) }
  }
}

async function commit(): Promise<Answer> {
  if (held === undefined) return { isCommitted: false, message: 'holds nothing' }
  const { history, draft } = held
  held = undefined
  try {
    await draft.stage(payments, [aVersion(rowsOf(draft.run).late)])
    await draft.commit(isoTime(owner.now()), () => 0)
    return { isCommitted: true, message: '' }
  } catch (error) {
    return { isCommitted: false, message: messageOf(error) }
  } finally {
    await history.close()
  }
}

/** uids of what a run of this process stages at its beginning, and before its commit. */
function rowsOf(run: number) {
  const winner = `${run} of ${process.pid}`
  return { early: winner, late: `${winner}, late` }
}
