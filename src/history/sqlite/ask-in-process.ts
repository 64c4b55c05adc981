import { fork } from 'node:child_process'
import { AuditError, type ErrorKind } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { programFile } from '../../model/package-files.ts'
import type { QueryAnswer, QueryLimits } from '../upkeep.ts'
import type { QueryMessage, QueryRequest } from './query-process.ts'

/**
 * Runs a query in a child process and kills it when the time is over: SQLite cannot be interrupted from within.
 * @throws AuditError.usage when the query is refused, fails, takes too long or gives too much
 */
export function askInProcess({ timeoutMs, ...request }: QueryRequest & QueryLimits): Promise<QueryAnswer> {
  return new Promise((resolve, reject) => {
    const child = fork(programFile('history/sqlite/query-process'), {
      execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
      serialization: 'advanced',
    })
    const rows: (readonly Json[])[] = []
    const fail = (message: string, advice: string, kind: ErrorKind = 'usage') =>
      finish(() => reject(new AuditError(kind, message, { advice })))
    const timer = setTimeout(
      () =>
        fail(
          `the query was cut: it took more than ${timeoutMs / 1000} s`,
          'ask for less: one run, one project, a LIMIT',
        ),
      timeoutMs,
    )
    const finish = (end: () => void) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      end()
    }
    child.on('message', (message: QueryMessage) => {
      if (message.kind === 'rows') for (const row of message.rows) rows.push(row)
      else if (message.kind === 'end') finish(() => resolve({ columns: message.columns, rows, isCut: message.isCut }))
      else if (message.kind === 'refused') fail(message.message, message.advice ?? '', message.errorKind)
      else
        fail(
          `the query was cut: its rows take more than ${request.characters} characters`,
          'ask for fewer columns or rows',
        )
    })
    child.on('error', (error) => finish(() => reject(error)))
    child.on('exit', () => fail('the query process exited, probably out of memory', 'ask for fewer columns or rows'))
    child.send(request)
  })
}
