import type { Command } from 'commander'
import { z } from 'zod'
import { locateHistory } from '../app/locate-history.ts'
import { explainViews, loadQuery } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import { views } from '../history/views.ts'
import { AuditError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import { anyObject, listOf } from '../model/schema.ts'
import { wrapPieces } from '../model/text/columns.ts'
import { textOf } from '../model/text/table.ts'
import { statingExtent } from '../questions/as-of.ts'
import { type AnswerForm, type AnswerView, aboutNoRun, aboutScans, limited } from '../report/answer.ts'
import { section, text } from '../report/document/blocks.ts'
import { shorten } from '../report/text/shorten.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions } from './query-options.ts'

export const queryForm: AnswerForm = {
  name: 'query',
  version: 3,
  about: aboutScans,
  row: anyObject.describe('A member for each column.'),
}

const viewRow = z.object({ view: z.string(), about: z.string(), columns: listOf(z.string()) })

export const queryViewsForm: AnswerForm = {
  name: 'query-views',
  version: 2,
  command: 'query --views',
  about: aboutNoRun,
  row: viewRow,
}

interface QueryOptions extends ReadingOptions {
  readonly views?: true
}

const bounds = { timeoutMs: 5_000, characters: 64 * 1024 * 1024 }
const rowsForMachines = 10_000

export function defineQuery(command: Command) {
  const names = wrapPieces(Object.keys(views).join(', ').split(' '), 76).map((line) => `  ${line}`)
  command
    .argument('[sql]', 'one read-only statement: SELECT, WITH, VALUES or EXPLAIN; stopped after 5 s')
    .option('--views', 'describe the views that can be queried, with their columns')
    .addHelpText('after', `\nViews:\n${names.join('\n')}`)
  addReadingOptions(command)
  return query
}

/** The rows of a query as an answer; run and coverage are those of the last committed run. */
async function query(options: QueryOptions, terminal: ProcessContext, sql: string | undefined): Promise<number> {
  if (options.views) return showViews(sql, options, terminal)
  if (sql === undefined) {
    throw AuditError.usage('no query given', { advice: '`hookdrift query --views` explains the views' })
  }
  const location = await locateHistory(options, terminal)
  if (location.kind === 'postgres') {
    throw AuditError.usage('`hookdrift query` asks a history in a file, and this one is in PostgreSQL', {
      advice: 'ask it with `psql`, under a role that reads the views only: `hookdrift docs many-machines` makes one',
    })
  }
  const rows = options.limit ?? Math.min(limitOf(options), rowsForMachines)
  // Opened here first: this checks that it is a history, and migrates it.
  return withHistory(options, terminal, async (reader) => {
    const ask = await loadQuery()
    const result = await ask({ ...bounds, file: location.path, sql, rows })
    const last = await findLastRun(reader)
    const answer = {
      form: queryForm,
      ...(last === undefined ? { run: null } : statingExtent(last, await readLatestScans(reader, last.number))),
      // fromEntries defines members, so a column called `__proto__` survives.
      rows: result.rows.map((row) => Object.fromEntries(result.columns.map((name, at) => [name, row[at] ?? null]))),
      omitted: result.isCut ? ('unknown' as const) : 0,
    }
    return printAnswer(answer, viewOf(result.columns), options.format, terminal)
  })
}

function viewOf(columns: readonly string[]): AnswerView<Readonly<Record<string, Json>>> {
  return {
    columns: columns.map((name) => ({
      name,
      show: (row) => shorten(textOf(row[name] ?? null), 2000),
      breaks: true,
    })),
    nothing: 'No rows.',
  }
}

async function showViews(sql: string | undefined, options: QueryOptions, terminal: ProcessContext): Promise<number> {
  if (sql !== undefined) throw AuditError.usage('--views describes the views, and runs no query: leave one of them out')
  const rows = limited(await explainViews(), limitOf(options))
  return printAnswer({ form: queryViewsForm, run: null, ...rows }, viewListView, options.format, terminal)
}

const viewListView: AnswerView<z.infer<typeof viewRow>> = {
  columns: ['view', 'about', 'columns'],
  blocks: ({ rows }) =>
    rows.flatMap(({ view, about, columns }) => section(2, view, [text(about), text(columns.join(', '), 'aside')])),
  nothing: 'There are no views.',
}
