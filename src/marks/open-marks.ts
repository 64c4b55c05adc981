import type { Draft } from '../history/history.ts'
import type { MarkedPageRow } from '../history/marks.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import type { Json } from '../model/json.ts'
import type { Listing, ProjectRef } from '../model/resource.ts'
import { digestBytes, keyedDigest } from './keyed-digest.ts'

/** What the last scan of a project left to recognise it by, as far as it holds. */
export interface OpenMarks {
  /** Of bytes, under the installation's key. */
  readonly digest: (...parts: readonly Buffer[]) => Buffer
  /** Whether the last scan left marks that hold. */
  readonly hold: boolean
  /** A page as it was left; undefined where there is none, and where someone altered it. */
  page(listing: Listing, number: number): Promise<MarkedPageRow | undefined>
  /** What the evaluation left for the end of the run: the bytes that were sealed. */
  outcome(): Buffer | undefined
  /** Makes what `page` and `outcome` give. */
  sealPage(listing: Listing, number: number, row: MarkedPageRow): MarkedPageRow
  sealOutcome(body: Buffer): Buffer
  /** Names this run as the one whose marks hold for the next. */
  sealScan(): Buffer
}

type MarksReader = Pick<Draft, 'run' | 'marks' | 'markedPage' | 'lastScannedRun'>

/**
 * Opens a project's marks. They hold for the run after the one that left them and under the same terms: a run in between
 * that left none, another policy, tool, key or label end them. All of it is bound by keyed digests, so that a row that
 * was altered or moved is none. `terms`: all that decides the results of a scan besides what the service sends.
 */
export async function openMarks(
  draft: MarksReader,
  project: ProjectRef,
  { key, terms }: { readonly key: Buffer; readonly terms: Json },
): Promise<OpenMarks> {
  const digest = keyedDigest(key)
  const termsText = canonicalJson([formVersion, project.service, project.uid, terms])
  const termsDigest = digest(Buffer.from(termsText))
  const bind = (place: Json, ...parts: readonly Buffer[]) =>
    digest(termsDigest, Buffer.from(`${canonicalJson(place)}\n`), ...parts)
  const withSeal = (place: Json, body: Buffer) => {
    // Kept until the scan ends. A small buffer of Node's pool would keep others with it: 4 KB for a page of one item.
    const sealed = Buffer.allocUnsafeSlow(digestBytes + body.length)
    bind(place, body).copy(sealed)
    body.copy(sealed, digestBytes)
    return sealed
  }
  const withoutSeal = (place: Json, sealed: Buffer): Buffer | undefined => {
    const body = sealed.subarray(digestBytes)
    return bind(place, body).equals(sealed.subarray(0, digestBytes)) ? body : undefined
  }
  const pagePlace = (listing: Listing, number: number, row: MarkedPageRow) => [
    listing,
    number,
    row.digest.toString('hex'),
  ]

  const lastRun = await draft.lastScannedRun(project)
  const marks = lastRun === undefined ? undefined : await draft.marks(project)
  const hold = marks?.seal.equals(bind(['scan', lastRun ?? 0])) === true
  return {
    digest,
    hold,
    async page(listing, number) {
      const row = hold ? await draft.markedPage(project, listing, number) : undefined
      const body = row && withoutSeal(pagePlace(listing, number, row), row.body)
      return row === undefined || body === undefined ? undefined : { digest: row.digest, body }
    },
    outcome: () => (hold && marks?.outcome !== undefined ? withoutSeal(['outcome'], marks.outcome) : undefined),
    sealPage: (listing, number, row) => ({ ...row, body: withSeal(pagePlace(listing, number, row), row.body) }),
    sealOutcome: (body) => withSeal(['outcome'], body),
    sealScan: () => bind(['scan', draft.run]),
  }
}

/** Of what is written here: another one ends all marks. */
const formVersion = 4
