import { type DigestMembers, RowsDigest } from './digested-rows.ts'
import type { KnownParts } from './parts.ts'

/** What a row holds of each member; text as it was bound. */
export type MemberValues<Members extends DigestMembers> = {
  readonly [Name in keyof Members]: string | number | null
}

/**
 * The digest of a part of a run, kept while its rows are inserted, in the order of their ids: so the commit need not
 * read them again under the write lock. It is spoiled by a deletion, or by a transaction that failed: then the commit
 * reads the rows.
 */
export class RunningDigest<Members extends DigestMembers> {
  readonly #names: readonly (keyof Members & string)[]
  readonly #digest: RowsDigest
  #isSpoiled = false

  constructor(members: Members) {
    this.#names = Object.keys(members).sort()
    this.#digest = new RowsDigest(this.#names)
  }

  add(row: MemberValues<Members>): void {
    this.#digest.add(this.#names.map((name) => stored(row[name])))
  }

  spoil(): void {
    this.#isSpoiled = true
  }

  /** Ends it. undefined: the rows have to be read. */
  end(): { readonly digest: string | undefined } | undefined {
    return this.#isSpoiled ? undefined : { digest: this.#digest.end() }
  }
}

/** The digests that are not spoiled, by part. */
export function endDigests(digests: Readonly<Record<string, Pick<RunningDigest<DigestMembers>, 'end'>>>): KnownParts {
  const ended = Object.entries(digests).map(([part, running]) => [part, running.end()] as const)
  return new Map(ended.flatMap(([part, known]) => (known === undefined ? [] : [[part, known.digest] as const])))
}

/** Histories store UTF-8: half of a surrogate pair comes back as U+FFFD. */
function stored(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.toWellFormed() : value
}
