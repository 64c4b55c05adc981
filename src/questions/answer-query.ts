import type { HistoryReader } from '../history/reader.ts'
import { findLastRun } from '../history/sql/runs.ts'
import { readLatestScans } from '../history/sql/scans.ts'
import type { Json } from '../model/json.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerForm, aboutScans } from '../report/answer-form.ts'
import { anyObject } from '../report/report-schema.ts'
import type { AnswerView } from '../report/show-answer.ts'
import { shorten } from '../report/text/shorten.ts'
import { wrapPieces, wrapProse } from '../text/columns.ts'
import { textOf } from '../text/table.ts'
import { statingExtent } from './as-of.ts'

export const queryForm: AnswerForm = {
  name: 'query',
  version: 2,
  about: aboutScans,
  row: anyObject.describe('A member for each column.'),
}

export type QueryRow = Readonly<Record<string, Json>>

/** The rows of a query as an answer; run and coverage are those of the last committed run. */
export async function answerQuery(
  reader: HistoryReader,
  result: { readonly columns: readonly string[]; readonly rows: readonly (readonly Json[])[]; readonly isCut: boolean },
): Promise<Answer<QueryRow>> {
  const last = await findLastRun(reader)
  return {
    form: queryForm,
    ...(last === undefined ? { run: null } : statingExtent(last, await readLatestScans(reader, last.number))),
    // fromEntries defines members, so a column called `__proto__` survives.
    rows: result.rows.map((row) => Object.fromEntries(result.columns.map((name, at) => [name, row[at] ?? null]))),
    omitted: result.isCut ? 'unknown' : 0,
  }
}

export function queryView(columns: readonly string[]): AnswerView<QueryRow> {
  return {
    columns: columns.map((name) => ({
      name,
      value: (row: QueryRow) => row[name] ?? null,
      show: (row: QueryRow) => shorten(textOf(row[name] ?? null), 2000),
      breaks: true,
    })),
    nothing: 'No rows.',
  }
}

export interface ViewRow {
  readonly view: string
  readonly about: string
  readonly columns: readonly string[]
}

export const viewListView: AnswerView<ViewRow> = {
  columns: [
    { name: 'view', value: ({ view }) => view },
    { name: 'about', value: ({ about }) => about },
    { name: 'columns', value: ({ columns }) => columns },
  ],
  lines: ({ rows }, page) =>
    rows.flatMap(({ view, about, columns }, at) => [
      ...(at === 0 ? [] : ['']),
      page.paint('heading', view),
      ...wrapProse(about, page.width - 4).map((line) => `    ${line}`),
      ...wrapPieces(
        columns.map((name, at) => (at < columns.length - 1 ? `${name},` : name)),
        page.width - 4,
      ).map((line) => page.paint('aside', `    ${line}`)),
    ]),
  nothing: 'There are no views.',
}
