import { isJsonObject, type JsonObject } from '../model/json.ts'
import { KnownItem, type PageDigests, type RawItem } from '../model/raw-page.ts'
import { parseJson } from './parse-json.ts'
import { splitPage } from './split-page.ts'

/** Recognises what the last scan of a listing evaluated, by its bytes. */
export interface Recogniser {
  /** Called for every answer that may be a page, also when it is asked for again. What it throws ends the walk as it is. */
  read(page: number, bytes: Buffer): Promise<PageReading>
}

export interface PageReading {
  /** Digest of the whole page. */
  readonly digest: Buffer
  /** Where the page's bytes are those of the last scan: its items, and where their list begins and ends. */
  readonly whole: { readonly items: readonly KnownItem[]; readonly start: number; readonly end: number } | undefined
  /** Called for each item of another page, in order. */
  item(bytes: Buffer): { readonly digest: Buffer; readonly known: KnownItem | undefined }
}

/** What was recognised of a page: the rest of it is to be read. */
export interface RecognisedPage {
  /** The answer with an empty list in place of the items; undefined where no item was recognised. */
  readonly envelope: Buffer | undefined
  /** Items as they were written, where they were not recognised or parsed. */
  readonly items: readonly (Buffer | RawItem)[]
  readonly digests: PageDigests
}

/** What a recogniser threw, as `cause`: the history could not be read, and the service did nothing wrong. */
export class RecogniserError extends Error {
  override readonly name = 'RecogniserError'
}

/**
 * undefined for what does not look like a page: it is refused as if it had not been tried.
 * @throws RecogniserError when the recogniser throws
 */
export async function recognisePage(
  { read }: Recogniser,
  page: number,
  bytes: Buffer,
  { mostItems, mostParsed }: { readonly mostItems: number; readonly mostParsed: number },
): Promise<RecognisedPage | undefined> {
  const reading = await read(page, bytes).catch((cause: unknown) => {
    throw new RecogniserError('what the last scan left could not be read', { cause })
  })
  const { whole, digest } = reading
  if (whole !== undefined) {
    const { items, start, end } = whole
    return { envelope: envelopeOf(bytes, whole), items, digests: { page: digest, start, end, items: undefined } }
  }
  const pieces = splitPage(bytes, mostItems)
  if (pieces === undefined || typeof pieces === 'string') return undefined
  const made: Buffer[] = []
  let isAnyKnown = false
  const items = pieces.items.map((piece): Buffer | KnownItem => {
    const { digest, known } = reading.item(piece)
    made.push(digest)
    isAnyKnown ||= known !== undefined
    return known ?? piece
  })
  const { start, end, envelope } = pieces
  const digests = { page: digest, start, end, items: Buffer.concat(made) }
  if (!isAnyKnown) return { envelope: undefined, items: pieces.items, digests }
  if (bytes.length > mostParsed) return { envelope, items, digests }
  const parsed: RawItem[] = []
  for (const item of items) {
    const read = item instanceof KnownItem ? item : parseItem(item)
    // What cannot be read alone is refused with the page as a whole, in the words for it.
    if (read === undefined) return { envelope: undefined, items: pieces.items, digests }
    parsed.push(read)
  }
  return { envelope, items: parsed, digests }
}

function parseItem(piece: Buffer): JsonObject | undefined {
  const parsed = parseJson(piece)
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined
}

function envelopeOf(bytes: Buffer, { start, end }: { readonly start: number; readonly end: number }): Buffer {
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)])
}
