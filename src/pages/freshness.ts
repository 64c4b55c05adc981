import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { HistoryReader } from '../history/reader.ts'
import { lastNote } from '../history/sql/notes.ts'
import { type CommittedRun, lastPruning, readMove } from '../history/sql/runs.ts'

/** Whether what a client has of an address is still the answer. Sets the headers for the next time. */
export type IsFresh = (context: Context, history: HistoryReader, last: CommittedRun, more?: string) => Promise<boolean>

/**
 * Decides by what answers depend on: the last run, what people noted, which runs were pruned, whether the history was
 * moved, and `more`. `version`: of hookdrift, as another release may answer otherwise; `viewerOf`: who reads, as readers
 * may see different projects.
 */
export function watchFreshness(version: string, viewerOf: (context: Context) => string): IsFresh {
  return async (context, history, { number, finished_at }, more = '') => {
    const [note, pruned, move] = [await lastNote(history), await history.ask(lastPruning), await readMove(history)]
    const { pathname, search } = new URL(context.req.url)
    const content = [version, viewerOf(context), number, finished_at, note, pruned, move?.at, pathname, search, more]
    return isHeld(context, entityTag(`${number}-`, content), 'private, no-cache')
  }
}

/** For what changes between runs, and for errors. */
export function forbidCaching(context: Context): void {
  context.header('etag', undefined)
  context.header('cache-control', 'no-store')
}

/** Makes a tag of what an answer depends on; `start` is in front of its digest. */
export function entityTag(start: string, content: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22)
  // Weak: a compressed answer has other bytes.
  return `W/"${start}${digest}"`
}

/**
 * Whether the client has the answer of a tag already. Sets the headers for this time and the next: a 304 has those of
 * the answer.
 */
export function isHeld(context: Context, tag: string, cacheControl: string): boolean {
  context.header('etag', tag)
  context.header('cache-control', cacheControl)
  context.header('vary', 'Accept-Encoding')
  const held = (context.req.header('if-none-match') ?? '').split(',').map((each) => each.trim().replace(/^W\//, ''))
  return held.includes(tag.replace(/^W\//, ''))
}
