import { Worker } from 'node:worker_threads'
import { AuditError } from '../../model/errors.ts'
import { type QueryReply, type QueryRequest, runQuery } from './run-query.ts'

/** Ends this process once its parent is gone. SQLite keeps the main thread from noticing. */
const watchParent = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => process.ppid === workerData || process.kill(process.pid, 'SIGKILL'), 500)
`

const parent = process.ppid

/** Runs one user query in a process of its own, which its parent can kill. */
process.once('message', (request: QueryRequest) => {
  new Worker(watchParent, { eval: true, workerData: parent }).unref()
  process.send?.(replyTo(request), undefined, undefined, () => process.disconnect())
})

function replyTo(request: QueryRequest): QueryReply {
  try {
    return runQuery(request)
  } catch (error) {
    if (!(error instanceof AuditError)) throw error
    const { kind, message, advice } = error
    return { kind, message, advice }
  }
}
