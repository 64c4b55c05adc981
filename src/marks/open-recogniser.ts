import type { MarkedPageRow } from '../history/marks.ts'
import { DigestIndex } from '../model/digest-index.ts'
import type { KnownItem } from '../model/raw-page.ts'
import type { PageReading, Recogniser } from '../service/recognise-page.ts'
import { decodePage, type MarkedPage } from './marked-page.ts'

/** What is known of a listing, and when it may be used. */
export interface Recognition {
  /** Whether rules may say something else of an item by now. Instants are milliseconds since the epoch. */
  isDue(evaluated: { readonly at: number; readonly until: number }): boolean
  readonly digest: (bytes: Buffer) => Buffer
  /** A page of the listing as the last scan left it; undefined beyond its end. */
  readonly pageAt: (number: number) => Promise<MarkedPageRow | undefined>
  /** Whether a resource must be read even if its bytes are the same, such as one of which a rule reads the past. */
  mustRead(item: Pick<KnownItem, 'uid' | 'lifted'>): boolean
  /** Whether this scan has shown a lifted resource already. */
  hasShown(lifted: KnownItem['lifted'][number]): boolean
}

/**
 * Decides what is known. An item is known when its bytes are those of an item that the last scan read and evaluated, no
 * rule may say something else of it by now, nothing else asks to read it, and what it embeds is shown all the same.
 * A page is known when all of its items are, and its bytes are those of the page of that number.
 */
export function openRecogniser(recognition: Recognition): Recogniser {
  const { isDue, digest, pageAt, mustRead, hasShown } = recognition
  let listing: Promise<MarkedListing> | undefined

  /** `promised`: what known items before it on the page show. */
  const isKnown = (item: KnownItem, evaluatedAt: number, promised: Set<string>): boolean => {
    if (isDue({ at: evaluatedAt, until: item.until }) || mustRead(item)) return false
    const isShown = item.lifted.every(
      (lifted) => lifted.version !== null || hasShown(lifted) || promised.has(keyOf(lifted)),
    )
    if (isShown) for (const lifted of item.lifted) promised.add(keyOf(lifted))
    return isShown
  }

  return {
    async read(number, bytes): Promise<PageReading> {
      const row = await pageAt(number)
      const pageDigest = digest(bytes)
      const promised = new Set<string>()
      const same = row === undefined ? undefined : decodePage(row.body)
      if (same !== undefined && row?.digest.equals(pageDigest)) {
        const items = itemsOf(same, (item) => isKnown(item, same.evaluatedAt, promised))
        if (items !== undefined) {
          const { start, end } = same
          return { digest: pageDigest, whole: { items, start, end }, item: () => unread(pageDigest) }
        }
        promised.clear()
      }
      listing ??= openListing(pageAt)
      const { find } = await listing
      let place = 0
      return {
        digest: pageDigest,
        whole: undefined,
        item(piece) {
          const at = place++
          const itemDigest = digest(piece)
          // Most items are where they were.
          const found = same?.isAt(at, itemDigest) ? { page: same, place: at } : find(itemDigest)
          const item = found?.page.itemAt(found.place)
          const isUsable = item !== undefined && found !== undefined && isKnown(item, found.page.evaluatedAt, promised)
          return { digest: itemDigest, known: isUsable ? item : undefined }
        },
      }
    },
  }
}

function unread(digest: Buffer) {
  return { digest, known: undefined }
}

/** All items of a page; undefined when one of them is not known. */
function itemsOf(page: MarkedPage, isKnown: (item: KnownItem) => boolean): readonly KnownItem[] | undefined {
  if (!page.isWhole) return undefined
  const items: KnownItem[] = []
  for (let place = 0; place < page.length; place++) {
    const item = page.itemAt(place)
    if (item === undefined || !isKnown(item)) return undefined
    items.push(item)
  }
  return items
}

interface MarkedListing {
  find(digest: Buffer): { readonly page: MarkedPage; readonly place: number } | undefined
}

/** Reads all pages of a listing, once, when one of them differs. */
async function openListing(pageAt: Recognition['pageAt']): Promise<MarkedListing> {
  const pages: MarkedPage[] = []
  /** Items before each page. */
  const firsts: number[] = []
  let items = 0
  for (let number = 1; ; number++) {
    const row = await pageAt(number)
    if (row === undefined) break
    const page = decodePage(row.body)
    pages.push(page)
    firsts.push(items)
    items += page.length
  }
  const locate = (item: number) => {
    let at = 0
    for (let step = 1 << 20; step > 0; step >>= 1)
      if ((firsts[at + step] ?? Number.POSITIVE_INFINITY) <= item) at += step
    return { page: pages[at], place: item - (firsts[at] ?? 0) }
  }
  const index = new DigestIndex((item) => {
    const { page, place } = locate(item)
    if (page === undefined) throw new Error('an item beyond the last page')
    return page.digestAt(place)
  }, items)
  for (let item = 0; item < items; item++) index.add(item)
  return {
    find(digest) {
      const item = index.find(digest)
      if (item === undefined) return undefined
      const { page, place } = locate(item)
      return page === undefined ? undefined : { page, place }
    },
  }
}

function keyOf({ kind, uid }: { readonly kind: string; readonly uid: string }): string {
  return `${kind} ${uid}`
}
