import { thisProcess } from '../../src/app/system.ts'
import type { Draft, History } from '../../src/history/history.ts'
import { openPostgresHistory } from '../../src/history/postgres/postgres-history.ts'
import { readPostgresUrl } from '../../src/history/postgres-server.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { AuditError, messageOf } from '../../src/model/errors.ts'
import { aStart, walkAll } from './samples.ts'

// Runs as a process of its own: its parent asks it to begin a run, and then to commit it. `node lease-contender.ts FILE|URL`.

export type Order = 'begin' | 'commit'
export type Answer =
  | { readonly won: true; readonly ms: number }
  | { readonly won: false; readonly ms: number; readonly exitCode: number | null; readonly message: string }
  | { readonly isCommitted: boolean; readonly message: string }

const [, , place = ''] = process.argv
let held: { history: History; draft: Draft } | undefined

process.on('message', async (order: Order) => {
  process.send?.(order === 'begin' ? await begin() : await commit())
})
process.send?.({ isCommitted: false, message: 'ready' } satisfies Answer)

async function begin(): Promise<Answer> {
  const startedAt = performance.now()
  const took = () => performance.now() - startedAt
  let history: History | undefined
  try {
    history = place.includes('://')
      ? await openPostgresHistory(readPostgresUrl(place), thisProcess)
      : openSqliteHistory(place, thisProcess)
    held = { history, draft: await history.begin(aStart(new Date().toISOString())) }
    return { won: true, ms: took() }
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
    await walkAll(draft)
    await draft.commit(new Date().toISOString(), () => 0)
    return { isCommitted: true, message: '' }
  } catch (error) {
    return { isCommitted: false, message: messageOf(error) }
  } finally {
    await history.close()
  }
}
