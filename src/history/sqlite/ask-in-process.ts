import { fork } from 'node:child_process'
import { AuditError } from '../../model/errors.ts'
import { programFile } from '../../model/package-files.ts'
import type { QueryReply } from './query-process.ts'
import type { QueryAnswer, QueryRequest } from './run-query.ts'

export interface TimedQuery extends QueryRequest {
  readonly timeoutMs: number
}

/**
 * Runs a query in a child process and kills it when the time is over: SQLite cannot be interrupted from within.
 * @throws AuditError.usage when the query is refused, fails, takes too long or gives too much
 */
export function askInProcess({ timeoutMs, ...request }: TimedQuery): Promise<QueryAnswer> {
  const child = fork(programFile('history/sqlite/query-process'), {
    execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    serialization: 'advanced',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  return new Promise((resolve, reject) => {
    child.on('message', (reply: QueryReply) => {
      if (!('refusal' in reply)) return resolve(reply)
      const { kind, message, advice } = reply.refusal
      reject(new AuditError(kind, message, { advice }))
    })
    child.on('error', reject)
    // The last event, after every message.
    child.on('close', () => reject(child.killed ? slow(timeoutMs) : exited()))
    child.send(request)
  })
}

function exited(): AuditError {
  return AuditError.usage('the query process exited, probably out of memory', {
    advice: 'ask for fewer columns or rows',
  })
}

function slow(timeoutMs: number): AuditError {
  return AuditError.usage(`the query was cut: it took more than ${timeoutMs / 1000} s`, {
    advice: 'ask for less: one run, one project, a LIMIT',
  })
}
