import type { Session, Transaction } from '../sql/session.ts'
import { type DigestedRows, RowsDigest, selectRows } from './digested-rows.ts'
import { carriedRows, type KnownParts, type PartRows, type Parts, runRows } from './parts.ts'

/** Digests of what a run recorded, as it is now, but for those that are known. */
export function partsOfRun(transaction: Transaction, run: number, known: KnownParts = new Map()): Promise<Parts> {
  return digestsOf(transaction, runRows, run, known)
}

/** Digests of all that no link covers, as a checkpoint carries them. */
export function partsCarried(transaction: Transaction, checkpoint: number): Promise<Parts> {
  return digestsOf(transaction, carriedRows, checkpoint, new Map())
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
  session: Session,
  parts: PartRows,
  number: number,
  known: KnownParts,
): Promise<ReadonlySet<string>> {
  const asked = Object.entries(parts).filter(([name]) => !known.has(name))
  const exists = asked.map(([name, { from, where }]) => `EXISTS (SELECT 1 FROM ${from} WHERE ${where}) AS "${name}"`)
  const found = await session.get<Readonly<Record<string, boolean | 0 | 1>>>(
    `SELECT $1::bigint AS number, ${exists.join(', ')}`,
    [number],
  )
  return new Set(asked.map(([name]) => name).filter((name) => Boolean(found?.[name])))
}

/** SHA-256 over some rows, in hex; undefined when there are none. `number`: of the run or checkpoint. */
export async function digestRows(
  transaction: Transaction,
  rows: DigestedRows,
  number: number,
): Promise<string | undefined> {
  const { names, sql } = selectRows(rows)
  const digest = new RowsDigest(names)
  await transaction.each(sql, sql.includes('$1') ? [number] : [], (row) => digest.add(Object.values(row)))
  return digest.end()
}
