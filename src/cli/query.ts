import type { Command } from 'commander'
import { z } from 'zod'
import { locateHistory } from '../app/locate-history.ts'
import { explainViews, withUpkeep } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { views } from '../history/views.ts'
import { AuditError } from '../model/errors.ts'
import { answerQuery, queryView, viewListView } from '../questions/answer-query.ts'
import { type AnswerForm, aboutNoRun } from '../report/answer-form.ts'
import { listOf } from '../report/report-schema.ts'
import { limited } from '../report/show-answer.ts'
import { wrapPieces } from '../text/columns.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

export const queryViewsForm: AnswerForm = {
  name: 'query-views',
  version: 1,
  command: 'query --views',
  about: aboutNoRun,
  row: z.object({ view: z.string(), about: z.string(), columns: listOf(z.string()) }),
}

interface QueryOptions extends ReadingOptions {
  readonly views?: true
}

const timeoutMs = 5_000
const characters = 64 * 1024 * 1024
const rowsForPeople = 100
const rowsForMachines = 10_000

export function defineQuery(command: Command, execute: Execute): void {
  command
    .argument('[sql]', 'one read-only statement: SELECT, WITH, VALUES or EXPLAIN; stopped after 5 s')
    .option('--views', 'describe the views that can be queried, with their columns')
    .addHelpText('after', `\nViews:\n${viewNames()}`)
  addReadingOptions(command).action((sql: string | undefined, options: QueryOptions) =>
    execute((terminal) => (options.views ? showViews(sql, options, terminal) : query(sql, options, terminal))),
  )
}

function viewNames(): string {
  const names = Object.keys(views).join(', ').split(' ')
  return wrapPieces(names, 76)
    .map((line) => `  ${line}`)
    .join('\n')
}

async function query(sql: string | undefined, options: QueryOptions, terminal: ProcessContext): Promise<number> {
  if (sql === undefined) {
    throw AuditError.usage('no query given', { advice: '`hookdrift query --views` explains the views' })
  }
  const rows = options.limit ?? (options.format === 'text' ? rowsForPeople : rowsForMachines)
  // Opened here first: this checks that it is a history, and migrates it.
  return withHistory(options, terminal, async (reader) => {
    const result = await withUpkeep(await locateHistory(options, terminal), terminal.env, (upkeep) =>
      upkeep.query(sql, { rows, characters, timeoutMs }),
    )
    return printAnswer(await answerQuery(reader, result), queryView(result.columns), options.format, terminal)
  })
}

async function showViews(sql: string | undefined, options: QueryOptions, terminal: ProcessContext): Promise<number> {
  if (sql !== undefined) throw AuditError.usage('--views describes the views, and runs no query: leave one of them out')
  const rows = limited(await explainViews(), limitOf(options))
  return printAnswer({ form: queryViewsForm, run: null, ...rows }, viewListView, options.format, terminal)
}
