import { createHash } from 'node:crypto'

/** The members of a row in a digest: the chain's own names, and the SQL of each. */
export type DigestMembers = Readonly<Record<string, string>>

/** Some rows, in SQL that both engines execute. */
export interface DigestedRows {
  /** A table, or several that are joined. */
  readonly from: string
  readonly members: DigestMembers
  readonly where: string
  readonly order: string
}

/** The names of the members in their order, and the statement that reads their values in the same order. */
export function selectRows({ from, members, where, order }: DigestedRows) {
  const names = Object.keys(members).sort()
  const columns = names.map((name) => members[name]).join(', ')
  return { names, sql: `SELECT ${columns} FROM ${from} WHERE ${where} ORDER BY ${order}` }
}

/** How much of its text a digest takes in one update: UTF-16 code units. */
const atOnce = 65_536

/**
 * SHA-256 over some rows. A row is the list of its members' names and values, in the order of the names. A member
 * without a value is absent, so that a member of a later schema does not change the digests of older rows.
 */
export class RowsDigest {
  readonly #names: readonly string[]
  readonly #digest = createHash('sha256')
  // Tens of thousands of rows may have to be read under the write lock: few, long updates.
  #text = ''
  #isEmpty = true

  /** `names`: sorted. */
  constructor(names: readonly string[]) {
    this.#names = names
  }

  /** `values` are in the order of the names. */
  add(values: readonly unknown[]): void {
    this.#isEmpty = false
    const present: unknown[] = []
    for (const [index, name] of this.#names.entries()) if (values[index] !== null) present.push(name, values[index])
    this.#text += `${JSON.stringify(present)}\n`
    if (this.#text.length < atOnce) return
    this.#digest.update(this.#text)
    this.#text = ''
  }

  /** Ends it: in hex; undefined without rows. */
  end(): string | undefined {
    return this.#isEmpty ? undefined : this.#digest.update(this.#text).digest('hex')
  }
}
