import { type DigestedRows, RowsDigest, selectRows } from '../../chain/digested-rows.ts'
import { carriedRows, type KnownParts, type PartRows, type Parts, runRows, type SqlNames } from '../../chain/parts.ts'
import type { Transaction } from '../connect.ts'

export const sqlNames: SqlNames = { schema: 'hookdrift.', number: '$1' }

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(transaction: Transaction, run: number, known: KnownParts = new Map()): Promise<Parts> {
  return digestsOf(transaction, runRows(sqlNames), run, known)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
export function partsCarried(transaction: Transaction, checkpoint: number): Promise<Parts> {
  return digestsOf(transaction, carriedRows(sqlNames), checkpoint, new Map())
}

async function digestsOf(transaction: Transaction, parts: PartRows, number: number, known: KnownParts): Promise<Parts> {
  const present = await partsWithRows(transaction, parts, number, known)
  const digests: [string, string][] = []
  for (const [name, rows] of Object.entries(parts)) {
    const digest = present.has(name) ? await digestRows(transaction, rows, number) : known.get(name)
    if (digest !== undefined) digests.push([name, digest])
  }
  return Object.fromEntries(digests)
}

/** Which of the parts that are not known have rows, in one statement: most runs leave most parts empty. */
async function partsWithRows(
  transaction: Transaction,
  parts: PartRows,
  number: number,
  known: KnownParts,
): Promise<ReadonlySet<string>> {
  const asked = Object.entries(parts).filter(([name]) => !known.has(name))
  const exists = asked.map(([name, { from, where }]) => `EXISTS (SELECT FROM ${from} WHERE ${where}) AS "${name}"`)
  const found = await transaction.get<Readonly<Record<string, boolean>>>(
    `SELECT $1::bigint AS number, ${exists.join(', ')}`,
    [number],
  )
  return new Set(asked.map(([name]) => name).filter((name) => found?.[name] === true))
}

/** SHA-256 over some rows, in hex; undefined when there are none. `number`: of the run or checkpoint. */
export async function digestRows(
  transaction: Transaction,
  rows: DigestedRows,
  number: number,
): Promise<string | undefined> {
  const { names, sql } = selectRows(rows)
  const digest = new RowsDigest(names)
  for await (const row of transaction.iterate(sql, sql.includes('$1') ? [number] : [])) digest.add(Object.values(row))
  return digest.end()
}
