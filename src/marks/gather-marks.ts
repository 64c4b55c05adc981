import type { MarkedPageRow } from '../history/marks.ts'
import type { KnownItem, PageDigests, RawPage } from '../model/raw-page.ts'
import type { Listing } from '../model/resource.ts'
import { decodePage, encodePage } from './marked-page.ts'
import type { OpenMarks } from './open-marks.ts'

/** Gathers what this scan leaves of the pages of a listing to recognise them by. */
export interface GatheredMarks {
  /**
   * Takes a page or a part of it as it was evaluated. `items`: by place; undefined for one that must be read again.
   * `isKept`: whether the page was recognised as a whole, and the same must be known of it.
   */
  take(
    page: Pick<RawPage, 'number' | 'digests'>,
    items: readonly (KnownItem | undefined)[],
    isKept: boolean,
  ): Promise<void>
  /** All of it, once the listing was read to its end. */
  pages(): Promise<readonly (MarkedPageRow | 'kept')[]>
}

interface GatheredPage {
  readonly number: number
  readonly digests: PageDigests
  readonly items: (KnownItem | undefined)[]
  isKept: boolean
}

/** `now`: start of the run, in milliseconds since the epoch. */
export function gatherMarks(marks: OpenMarks, listing: Listing, now: number): GatheredMarks {
  /** What is done: memory holds the items of one page. */
  const rows: (MarkedPageRow | 'kept')[] = []
  let open: GatheredPage | undefined

  async function close(): Promise<void> {
    if (open !== undefined) rows.push(await rowOf(open))
    open = undefined
  }

  async function rowOf({ number, digests, items, isKept }: GatheredPage): Promise<MarkedPageRow | 'kept'> {
    if (isKept) return 'kept'
    const { page: digest, start, end } = digests
    const row = await marks.page(listing, number)
    const before = row?.digest.equals(digest) ? row : undefined
    const page = before && decodePage(before.body)
    const content = {
      start,
      end,
      items,
      digests: digests.items ?? Buffer.concat(items.map((_, at) => page?.digestAt(at) ?? none)),
    }
    // Read again and found the same: nothing to write.
    if (before !== undefined && page !== undefined && page.evaluatedAt <= now) {
      if (encodePage({ ...content, evaluatedAt: page.evaluatedAt }).equals(before.body)) return 'kept'
    }
    return marks.sealPage(listing, number, { digest, body: encodePage({ ...content, evaluatedAt: now }) })
  }

  return {
    async take({ number, digests }, items, isKept) {
      if (digests === undefined) return
      if (open?.number !== number) await close()
      open ??= { number, digests, items: [], isKept: true }
      for (const item of items) open.items.push(item)
      open.isKept &&= isKept
    },
    async pages() {
      await close()
      return rows
    },
  }
}

const none = Buffer.alloc(0)
