import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import type { HistoryReader } from '../history/reader.ts'
import { lastNote } from '../history/sql/notes.ts'
import { type CommittedRun, lastPruning, readMove } from '../history/sql/runs.ts'
import { readDuration } from '../model/time.ts'

/** For this long, a client's copy counts as fresh without a question to the history. */
const trustedMs = 1000

/** What answers depend on: the last run, and what people noted and which runs were pruned since. */
interface HistoryState {
  readonly last: Pick<CommittedRun, 'number' | 'finished_at'>
  /** Its id; 0 without any. */
  readonly note: number
  /** When runs were pruned last; null: never. */
  readonly pruned: string | null
  /** When it was moved elsewhere; undefined: it was not. */
  readonly moved: string | undefined
}

/** The state of a history that has a run. */
export async function stateOf(history: HistoryReader, last: CommittedRun): Promise<HistoryState> {
  const [pruned, move] = [await history.ask(lastPruning), await readMove(history)]
  return { last, note: await lastNote(history), pruned, moved: move?.at }
}

/** Decides by the last run whether what a client has of an address is still the answer. */
export interface Freshness {
  /** Whether it was within the last second. `more`: what else the answer depends on. */
  isKnownFresh(context: Context, more?: string): boolean
  /** Whether it is, as of the last run. Sets the headers for the next time. */
  isFresh(context: Context, state: HistoryState, more?: string): boolean
}

export function watchFreshness({
  now,
  version,
  viewerOf = () => '',
}: {
  /** Milliseconds since the epoch. */
  now(): number
  /** Of hookdrift: another release may answer otherwise. */
  readonly version: string
  /** Who reads: readers may see different projects. */
  viewerOf?(context: Context): string
}): Freshness {
  let seen: { readonly state: HistoryState; readonly at: number } | undefined
  const compare = (
    context: Context,
    { last: { number, finished_at }, note, pruned, moved }: HistoryState,
    more: string,
  ) => {
    const { pathname, search } = new URL(context.req.url)
    const content = [version, viewerOf(context), number, finished_at, note, pruned, moved, pathname, search, more]
    return isHeld(context, entityTag(`${number}-`, content), 'private, no-cache')
  }
  return {
    isKnownFresh(context, more = '') {
      if (seen === undefined || context.req.header('if-none-match') === undefined) return false
      const age = now() - seen.at
      return age >= 0 && age < trustedMs && compare(context, seen.state, more)
    },
    isFresh(context, state, more = '') {
      seen = { state, at: now() }
      return compare(context, state, more)
    },
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

/**
 * Whether an address counts from the time of asking: its answer changes while no run comes, so that no copy of it is
 * fresh.
 */
export function countsFromNow(search: URLSearchParams): boolean {
  return [...search].some(([name, value]) => ages.includes(name) || (times.includes(name) && isRelative(value)))
}

/** Parameters that name a run or a time; a duration is a time before that of asking. */
const times = ['run', 'at', 'from', 'to', 'since']

/** Ages, and what is late. */
const ages = ['older-than', 'overdue']

function isRelative(time: string): boolean {
  return ['today', 'yesterday'].includes(time) || readDuration(time) !== undefined
}
