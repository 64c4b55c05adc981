import { Worker } from 'node:worker_threads'
import { AuditError, type ErrorKind } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { QueryLimits } from '../upkeep.ts'
import { openQuery } from './run-query.ts'

/** The one message that this process receives. */
export interface QueryRequest extends Pick<QueryLimits, 'rows' | 'characters'> {
  readonly file: string
  readonly sql: string
}

/** The messages that it sends: rows in pieces, then one of the others as the last. */
export type QueryMessage =
  | { readonly kind: 'rows'; readonly rows: readonly (readonly Json[])[] }
  | { readonly kind: 'end'; readonly columns: readonly string[]; readonly isCut: boolean }
  | {
      readonly kind: 'refused'
      readonly message: string
      readonly advice: string | undefined
      readonly errorKind: ErrorKind
    }
  | { readonly kind: 'too much' }

const rowsInPiece = 1000

/** Ends this process once its parent is gone. SQLite keeps the main thread from noticing. */
const watchParent = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => process.ppid === workerData || process.kill(process.pid, 'SIGKILL'), 500)
`

const parent = process.ppid

/** Runs one user query in a process of its own, which its parent can kill. */
process.once('message', (request: QueryRequest) => {
  new Worker(watchParent, { eval: true, workerData: parent }).unref()
  const send = (message: QueryMessage) => process.send?.(message)
  try {
    work(request, send)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    send({ kind: 'refused', message: error.message, advice: error.advice, errorKind: error.kind })
  }
  process.disconnect()
})

function work({ file, sql, ...most }: QueryRequest, send: (message: QueryMessage) => void): void {
  const { columns, rows, close } = openQuery(file, sql)
  let piece: (readonly Json[])[] = []
  let count = 0
  let characters = 0
  let isCut = false
  for (const row of rows) {
    if (count >= most.rows) {
      isCut = true
      break
    }
    count += 1
    for (const cell of row) characters += typeof cell === 'string' ? cell.length : 8
    if (characters > most.characters) {
      send({ kind: 'too much' })
      return
    }
    piece.push(row)
    if (piece.length === rowsInPiece) {
      send({ kind: 'rows', rows: piece })
      piece = []
    }
  }
  close()
  send({ kind: 'rows', rows: piece })
  send({ kind: 'end', columns, isCut })
}
