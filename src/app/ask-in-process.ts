import { fork } from 'node:child_process'
import { AuditError, type ErrorKind } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { QueryMessage, QueryRequest } from './query-process.ts'

export interface QueryAnswer {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Json[])[]
  /** Whether there are more rows than were wanted. */
  readonly isCut: boolean
}

/** Runs beside this file, and has its ending: `.ts` in a checkout, `.js` in the package. */
const program = new URL(import.meta.url.replace(/ask-in-process(\.\w+)$/, 'query-process$1'))

/**
 * Asks in a process of its own and ends it when the time is over: SQLite cannot be interrupted from within.
 * @throws AuditError.usage when the query is refused, fails, takes too long or gives too much
 */
export function askInProcess(order: QueryRequest, timeoutMs: number): Promise<QueryAnswer> {
  return new Promise((resolve, reject) => {
    const child = fork(program, {
      execArgv: ['--max-old-space-size=512', '--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
      serialization: 'advanced',
    })
    const rows: (readonly Json[])[] = []
    const fail = (message: string, advice: string, kind: ErrorKind = 'usage') =>
      settle(() => reject(new AuditError(kind, message, { advice })))
    const timer = setTimeout(
      () =>
        fail(
          `the query was cut: it took more than ${timeoutMs / 1000} s`,
          'ask for less: one run, one project, a LIMIT',
        ),
      timeoutMs,
    )
    const settle = (end: () => void) => {
      clearTimeout(timer)
      child.kill('SIGKILL')
      end()
    }
    child.on('message', (news: QueryMessage) => {
      if (news.news === 'rows') for (const row of news.rows) rows.push(row)
      else if (news.news === 'end') settle(() => resolve({ columns: news.columns, rows, isCut: news.isCut }))
      else if (news.news === 'refused') fail(news.message, news.advice ?? '', news.kind)
      else
        fail(
          `the query was cut: its rows take more than ${order.maxCharacters} characters`,
          'ask for fewer columns or rows',
        )
    })
    child.on('error', (error) => settle(() => reject(error)))
    child.on('exit', () => fail('the query process exited, probably out of memory', 'ask for fewer columns or rows'))
    child.send(order)
  })
}
