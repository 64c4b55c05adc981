import { fork } from 'node:child_process'
import { AuditError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { programFile } from '../../model/package-files.ts'
import { largeQuery, slowQuery } from '../refused-queries.ts'
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
    const fail = (error: AuditError) => finish(() => reject(error))
    const timer = setTimeout(() => fail(slowQuery(timeoutMs)), timeoutMs)
    const finish = (end: () => void) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      end()
    }
    child.on('message', (message: QueryMessage) => {
      if (message.kind === 'rows') for (const row of message.rows) rows.push(row)
      else if (message.kind === 'end') finish(() => resolve({ columns: message.columns, rows, isCut: message.isCut }))
      else if (message.kind === 'refused')
        fail(new AuditError(message.errorKind, message.message, { advice: message.advice ?? '' }))
      else fail(largeQuery(request.characters))
    })
    child.on('error', (error) => finish(() => reject(error)))
    child.on('exit', () =>
      fail(
        AuditError.usage('the query process exited, probably out of memory', {
          advice: 'ask for fewer columns or rows',
        }),
      ),
    )
    child.send(request)
  })
}
