import { openQuery } from '../history/sqlite/run-query.ts'
import { AuditError, type ErrorKind } from '../model/errors.ts'
import type { Json } from '../model/json.ts'

/** What this process is told, once. */
export interface QueryRequest {
  readonly file: string
  readonly sql: string
  /** Rows that are wanted; infinite in JSON would be null. */
  readonly limit: number
  readonly maxCharacters: number
}

/** What it answers: rows in pieces, then its end. */
export type QueryMessage =
  | { readonly news: 'rows'; readonly rows: readonly (readonly Json[])[] }
  | { readonly news: 'end'; readonly columns: readonly string[]; readonly isCut: boolean }
  | {
      readonly news: 'refused'
      readonly message: string
      readonly advice: string | undefined
      readonly kind: ErrorKind
    }
  | { readonly news: 'too much' }

const rowsInPiece = 1000

/** Runs one query of a person's in a process of its own, which whoever started it can end. */
process.once('message', (order: QueryRequest) => {
  const tell = (news: QueryMessage) => process.send?.(news)
  try {
    work(order, tell)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    tell({ news: 'refused', message: error.message, advice: error.advice, kind: error.kind })
  }
  process.disconnect()
})

function work({ file, sql, limit, maxCharacters }: QueryRequest, tell: (news: QueryMessage) => void): void {
  const { columns, rows, close } = openQuery(file, sql)
  let piece: (readonly Json[])[] = []
  let count = 0
  let characters = 0
  let isCut = false
  for (const row of rows) {
    if (count >= limit) {
      isCut = true
      break
    }
    count += 1
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
    if (characters > maxCharacters) {
      tell({ news: 'too much' })
      return
    }
    piece.push(row)
    if (piece.length === rowsInPiece) {
      tell({ news: 'rows', rows: piece })
      piece = []
    }
  }
  close()
  tell({ news: 'rows', rows: piece })
  tell({ news: 'end', columns, isCut })
}
