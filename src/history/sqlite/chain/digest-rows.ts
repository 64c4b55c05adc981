import { createHash } from 'node:crypto'
import type { Database } from 'better-sqlite3'

/** The members of a row in a digest: the chain's own names, and the SQL of each. */
export type DigestMembers = Readonly<Record<string, string>>

export interface DigestedRows {
  /** A table, or several that are joined. */
  readonly from: string
  readonly members: DigestMembers
  readonly where: string
  readonly order: string
}

/**
 * SHA-256 over some rows, in hex; undefined when there are none. A row is the list of its members' names and values, in
 * the order of the names. A member without a value is absent, so that a member of a later schema does not change the
 * digests of older rows.
 */
export function digestRows(
  db: Database,
  { from, members, where, order }: DigestedRows,
  parameters: Readonly<Record<string, number>>,
): string | undefined {
  const names = Object.keys(members).sort()
  const sql = `SELECT ${names.map((name) => members[name]).join(', ')} FROM ${from} WHERE ${where} ORDER BY ${order}`
  const digest = createHash('sha256')
  let isEmpty = true
  // Tens of thousands of rows may have to be read under the write lock: few, long updates.
  let text = ''
  for (const row of db.prepare<[typeof parameters], unknown[]>(sql).raw().iterate(parameters)) {
    isEmpty = false
    text += lineOf(names, row)
    if (text.length < atOnce) continue
    digest.update(text)
    text = ''
  }
  return isEmpty ? undefined : digest.update(text).digest('hex')
}

/** A row in a digest; `values` are in the order of `names`. */
export function lineOf(names: readonly string[], values: readonly unknown[]): string {
  const present: unknown[] = []
  for (const [index, name] of names.entries()) if (values[index] !== null) present.push(name, values[index])
  return `${JSON.stringify(present)}\n`
}

/** How much of its text a digest takes in one update: UTF-16 code units. */
export const atOnce = 65_536
