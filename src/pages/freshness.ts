import type { Context } from 'hono'
import type { CommittedRun } from '../history/sql/runs.ts'
import { entityTag, isHeld } from './entity-tag.ts'

/** For this long, a client's copy counts as fresh without a question to the history. */
const trustedMs = 1000

/** Decides by the last run whether what a client has of an address is still the answer. */
export interface Freshness {
  /** Whether it was within the last second. `more`: what else the answer depends on. */
  isKnownFresh(context: Context, more?: string): boolean
  /** Whether it is, as of the last run. Sets the headers for the next time. */
  isFresh(context: Context, last: CommittedRun, more?: string): boolean
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
  let seen: { readonly last: CommittedRun; readonly at: number } | undefined
  const compare = (context: Context, { number, finishedAt }: CommittedRun, more: string) => {
    const { pathname, search } = new URL(context.req.url)
    const content = [version, viewerOf(context), number, finishedAt, pathname, search, more]
    return isHeld(context, entityTag(`${number}-`, content), 'private, no-cache')
  }
  return {
    isKnownFresh(context, more = '') {
      if (seen === undefined || context.req.header('if-none-match') === undefined) return false
      const age = now() - seen.at
      return age >= 0 && age < trustedMs && compare(context, seen.last, more)
    },
    isFresh(context, last, more = '') {
      seen = { last, at: now() }
      return compare(context, last, more)
    },
  }
}

/** For what changes between runs, and for errors. */
export function neverKept(context: Context): void {
  context.header('etag', undefined)
  context.header('cache-control', 'no-store')
}
