import type { Command } from 'commander'
import { historyOf, openHistory } from '../app/history-of.ts'
import type { Terminal } from '../app/terminal.ts'
import { AuditError } from '../model/errors.ts'
import type { Execute } from './execute.ts'
import { addReadingOptions, type ReadingOptions, tellAnswer } from './reading.ts'

interface QueryOptions extends ReadingOptions {
  readonly views?: true
}

const timeoutMs = 5_000
const maxCharacters = 64 * 1024 * 1024
const rowsForPeople = 100
const rowsForMachines = 10_000

export function defineQuery(program: Command, execute: Execute): void {
  const command = program
    .command('query')
    .argument('[sql]', 'one statement that reads: SELECT, WITH, VALUES, EXPLAIN; 5 s')
    .description('Query the history in SQL')
    .option('--views', 'explain the views that are made for it')
  addReadingOptions(command).action((sql: string | undefined, options: QueryOptions) =>
    execute((terminal) => (options.views ? showViews(options, terminal) : query(sql, options, terminal))),
  )
}

async function query(sql: string | undefined, options: QueryOptions, terminal: Terminal): Promise<number> {
  if (sql === undefined) {
    throw new AuditError(2, 'there is no query', { advice: '`hookdrift query --views` explains what can be asked' })
  }
  const { answerQuery, queryFace } = await import('../reading/answer-query.ts')
  const { askInProcess } = await import('../app/ask-in-process.ts')
  // Opened here first: this checks that it is a history, and brings it up to date.
  const reader = await openHistory(options, terminal)
  try {
    const limit = options.limit ?? (options.format === 'text' ? rowsForPeople : rowsForMachines)
    const order = { file: await historyOf(options, terminal), sql, limit, maxCharacters }
    const found = await askInProcess(order, timeoutMs)
    return await tellAnswer(await answerQuery(reader, found), queryFace(found.columns), options.format, terminal)
  } finally {
    await reader.close()
  }
}

async function showViews({ format }: QueryOptions, terminal: Terminal): Promise<number> {
  const { explainViews } = await import('../history/sqlite/views.ts')
  const { viewsFace } = await import('../reading/answer-query.ts')
  return tellAnswer(
    { command: 'query-views', run: null, rows: explainViews(), leftOut: 0 },
    viewsFace,
    format,
    terminal,
  )
}
