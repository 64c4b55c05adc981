import { createHash } from 'node:crypto'
import type { Session, Transaction } from '../sql/session.ts'
import {
  carriedRows,
  type DigestedRows,
  type DigestMembers,
  type PartDigests,
  type PartRows,
  type Parts,
  runRows,
} from './parts.ts'

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(
  transaction: Transaction,
  run: number,
  givenDigests: PartDigests = new Map(),
): Promise<Parts> {
  return digestsOf(transaction, runRows, run, givenDigests)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
export function partsCarried(transaction: Transaction, checkpoint: number): Promise<Parts> {
  return digestsOf(transaction, carriedRows, checkpoint, new Map())
}

async function digestsOf(
  transaction: Transaction,
  parts: PartRows,
  number: number,
  givenDigests: PartDigests,
): Promise<Parts> {
  const present = await partsWithRows(transaction, parts, number, givenDigests)
  const digests: [string, string][] = []
  for (const [name, rows] of Object.entries(parts)) {
    const digest = present.has(name) ? await digestRows(transaction, rows, number) : givenDigests.get(name)
    if (digest !== undefined) digests.push([name, digest])
  }
  return Object.fromEntries(digests)
}

/** Which of the parts that are not known have rows, in one statement: most runs leave most parts empty. */
async function partsWithRows(
  session: Session,
  parts: PartRows,
  number: number,
  givenDigests: PartDigests,
): Promise<ReadonlySet<string>> {
  const missingParts = Object.entries(parts).filter(([name]) => !givenDigests.has(name))
  const exists = missingParts.map(
    ([name, { from, where }]) => `EXISTS (SELECT 1 FROM ${from} WHERE ${where}) AS "${name}"`,
  )
  const presence = await session.get<Readonly<Record<string, boolean | 0 | 1>>>(
    `SELECT $1::bigint AS number, ${exists.join(', ')}`,
    [number],
  )
  return new Set(missingParts.map(([name]) => name).filter((name) => Boolean(presence?.[name])))
}

/** SHA-256 over some rows, in hex; undefined when there are none. `number`: of the run or checkpoint. */
async function digestRows(transaction: Transaction, rows: DigestedRows, number: number): Promise<string | undefined> {
  const { names, sql } = selectRows(rows)
  const digest = new RowsDigest(names)
  await transaction.each(sql, sql.includes('$1') ? [number] : [], (row) => digest.add(Object.values(row)))
  return digest.end()
}

/** The names of the members in their order, and the statement that reads their values in the same order. */
function selectRows({ from, members, where, order }: DigestedRows) {
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
class RowsDigest {
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

/** What a row holds of each member; text as it was bound. */
type MemberValues<Members extends DigestMembers> = {
  readonly [Name in keyof Members]: string | number | null
}

/** The digest of a part of a run, made of its rows before they are inserted, in the order of their ids. */
export class RunningDigest<Members extends DigestMembers> {
  readonly #names: readonly (keyof Members & string)[]
  readonly #digest: RowsDigest

  constructor(members: Members) {
    this.#names = Object.keys(members).sort()
    this.#digest = new RowsDigest(this.#names)
  }

  add(row: MemberValues<Members>): void {
    this.#digest.add(this.#names.map((name) => stored(row[name])))
  }

  /** Ends it: in hex; undefined without rows. */
  end(): string | undefined {
    return this.#digest.end()
  }
}

/** Histories store UTF-8: half of a surrogate pair comes back as U+FFFD. */
function stored(value: string | number | null): string | number | null {
  return typeof value === 'string' ? value.toWellFormed() : value
}
