import type { Context } from 'hono'
import type { HistoryReader } from '../history/reader.ts'
import { lastNote } from '../history/sql/notes.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { entityTag, isHeld } from './entity-tag.ts'

/** For this long, a client's copy counts as fresh without a question to the history. */
const trustedMs = 1000

/** What answers depend on: the last run, and what people noted since. */
interface HistoryState {
  readonly last: Pick<CommittedRun, 'number' | 'finishedAt'>
  /** Its id; 0 without any. */
  readonly note: number
}

/** The state of a history that has a run. */
export async function stateOf(history: HistoryReader, last: CommittedRun): Promise<HistoryState> {
  return { last, note: await lastNote(history) }
}

/** Decides by the last run whether what a client has of an address is still the answer. */
export interface Freshness {
  /** Whether it was within the last second. `more`: what else the answer depends on. */
  isKnownFresh(context: Context, more?: string): boolean
  /** Whether it is, as of the last run. Sets the headers for the next time. */
  isFresh(context: Context, state: HistoryState, more?: string): boolean
}

interface FreshnessOptions {
  /** Milliseconds since the epoch. */
  now(): number
  /** Of hookdrift: another release may answer otherwise. */
  readonly version: string
  /** Who reads: readers may see different projects. */
  viewerOf?(context: Context): string
}

export function watchFreshness({ now, version, viewerOf = () => '' }: FreshnessOptions): Freshness {
  let seen: { readonly state: HistoryState; readonly at: number } | undefined
  const compare = (context: Context, { last: { number, finishedAt }, note }: HistoryState, more: string) => {
    const { pathname, search } = new URL(context.req.url)
    const content = [version, viewerOf(context), number, finishedAt, note, pathname, search, more]
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
export function neverKept(context: Context): void {
  context.header('etag', undefined)
  context.header('cache-control', 'no-store')
}
