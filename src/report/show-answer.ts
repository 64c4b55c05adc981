import { isCoverageComplete } from '../model/coverage.ts'
import { jsonOfNumbers } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import { wrapProse } from '../text/columns.ts'
import { count } from '../text/count.ts'
import { neutralise, neutraliseJson } from '../text/neutralise.ts'
import { columnsIn, layTable, valueIn } from '../text/table.ts'
import type { Answer, AnswerCoverage, AnswerRun, AnswerView } from './answer.ts'
import type { AnswerFormat } from './answer-formats.ts'
import { type Cell, csvTable } from './csv-table.ts'
import { describeFailures, groupFailures } from './describe-failures.ts'
import { showBlocks } from './document/terminal.ts'
import { listingWalks } from './gaps.ts'
import type { RenderOptions } from './report-format.ts'
import { openAnswerPage, type TextPage } from './text/page.ts'
import { shorten } from './text/shorten.ts'
import { showTime } from './text/show-time.ts'

export interface AnswerRenderOptions extends Omit<RenderOptions, 'full'> {
  /** Width of tables: that of a terminal, infinite for a pipe, so that nothing is cut before a search. */
  readonly tableWidth: number
}

export function writeAnswer<Row>(
  format: AnswerFormat,
  answer: Answer<Row>,
  view: AnswerView<Row>,
  render: AnswerRenderOptions,
): string {
  if (format === 'json') return writeJson(answer, view)
  if (format === 'jsonl') return writeLines(answer, view)
  return format === 'csv' ? writeRecords(answer, view) : writeText(answer, view, render)
}

function writeJson<Row>(answer: Answer<Row>, { shape }: AnswerView<Row>): string {
  const { coverage, rows, form, omitted } = answer
  const document = {
    ...headOf(answer),
    ...(coverage === undefined ? {} : { coverage }),
    [form.rowsMember ?? 'rows']: shape === undefined ? rows : rows.map(shape),
    ...(omitted === 0 ? {} : { omitted }),
  }
  return `${neutraliseJson(JSON.stringify(document, null, 2))}\n`
}

/** An object a line. A row is a member of its own, because the columns of a query have any names. */
function writeLines<Row>(answer: Answer<Row>, { shape }: AnswerView<Row>): string {
  const { coverage = [], rows, omitted } = answer
  return [
    { type: 'answer', ...headOf(answer), ...(omitted === 0 ? {} : { omitted }) },
    ...coverage.map((walk) => ({ type: 'coverage', coverage: walk })),
    ...rows.map((row) => ({ type: 'row', row: shape === undefined ? row : shape(row) })),
  ]
    .map((line) => `${neutraliseJson(JSON.stringify(line))}\n`)
    .join('')
}

function headOf<Row>({ form, run, more }: Answer<Row>) {
  return { schema: `hookdrift.${form.name}/${form.version}`, run, ...more }
}

function writeRecords<Row>({ rows }: Answer<Row>, { columns, records }: AnswerView<Row>): string {
  const csvColumns = columnsIn(columns, 'csv')
  const recordsOf = records ?? ((row: Row) => [csvColumns.map((column) => valueIn(row, column))])
  return csvTable(
    csvColumns.map(({ name }) => name),
    rows.flatMap((row) => recordsOf(row).map((record) => record.map(cellOf))),
  )
}

/** Lists and objects are JSON text. */
function cellOf(value: Json): Cell {
  return typeof value === 'object' && value !== null ? jsonOfNumbers(JSON.stringify(value)) : value
}

function writeText<Row>(answer: Answer<Row>, view: AnswerView<Row>, render: AnswerRenderOptions): string {
  const page = openAnswerPage(answer.run?.number ?? 0, render)
  const body =
    answer.rows.length === 0
      ? wrapProse(page.locate(view.nothing), page.width)
      : (view.lines?.(answer, page) ?? showRows(answer, view, page, render))
  const omittedLine = `… and ${answer.omitted === 'unknown' ? '' : `${answer.omitted} `}${view.omits ?? 'more'}; --limit all shows them`
  const saysRun = view.isOfRun !== false && (answer.run !== null || answer.rows.length === 0)
  const prose = (sentences: readonly string[] = []) =>
    sentences.flatMap((sentence) => wrapProse(neutralise(page.locate(sentence)), page.width))
  const parts = [
    [...(saysRun ? showExtent(answer, page) : []), ...prose(answer.remarks)],
    body,
    answer.omitted === 0 ? [] : [page.paint('aside', omittedLine)],
    prose(answer.conclusion),
  ]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => `${part.join('\n')}\n`)
    .join('\n')
}

function showRows<Row>(answer: Answer<Row>, view: AnswerView<Row>, page: TextPage, render: AnswerRenderOptions) {
  if (view.blocks === undefined) return showTable(answer, view, page, render.tableWidth)
  const { runNumber, locating } = page
  const commandFor = (command: string) => (locating === null ? null : `hookdrift ${command}${locating}`)
  const lines = showBlocks(view.blocks(answer, { runNumber, commandFor }), { ...page, full: true })
  return lines[0] === '' ? lines.slice(1) : lines
}

function showTable<Row>({ rows }: Answer<Row>, view: AnswerView<Row>, page: TextPage, width: number): string[] {
  const { columns, below } = view
  const [header = [], ...lines] = layTable(columns, rows, width)
  const rowLines = rows.flatMap((row, at) => {
    const sentence = below?.(row) ?? ''
    return [
      ...(lines[at] ?? []),
      ...wrapProse(neutralise(page.locate(sentence)), page.width - 4).map((line) => `    ${line}`),
    ]
  })
  return [...header.map((line) => page.paint('heading', line)), ...rowLines]
}

const mostShown = 5

/** The run that an answer is as of, and its gaps: without them, the rows mean nothing. */
function showExtent({ run, coverage }: Pick<Answer<never>, 'run' | 'coverage'>, page: TextPage): string[] {
  if (run === null) return ['The history has no committed run.']
  const asOf = page.paint('aside', `As of run ${run.number}, ${showTime(run.started_at)}.`)
  // Of the policy, nothing is scanned.
  return coverage === undefined || coverage.length === 0 ? [asOf] : [asOf, ...showWalks(coverage, run, page)]
}

function showWalks(coverage: readonly AnswerCoverage[], run: AnswerRun, page: TextPage): string[] {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const incomplete = walks.filter(({ status }) => status !== 'complete')
  const ofProjects = listingWalks(coverage)
  // A list is read again only where something is open for it.
  const earlier = new Map(ofProjects.filter((walk) => walk.run < run.number).map((walk) => [walk.project, walk.run]))
  const projects = new Set(ofProjects.map(({ project }) => project)).size
  const headline = isCoverageComplete(coverage)
    ? page.paint('good', `Scanned ${count(projects, 'project')} completely.`)
    : page.paint('alarm', `INCOMPLETE SCAN: ${incomplete.length} of ${count(walks.length, 'listing')} not complete.`)
  const remarks = [
    ...groupFailures(coverage, []).map((group) => {
      const { headline, cost } = describeFailures(group)
      return `${shorten(headline, 300)} (${cost})`
    }),
    ...[...earlier].map(([project, last]) => `${project} was last scanned by run ${last}`),
  ]
  const lines = remarks.slice(0, mostShown).flatMap((text) => {
    const [first = '', ...rest] = wrapProse(neutralise(text), page.width - 4)
    return [`  ${first}`, ...rest.map((line) => `    ${line}`)]
  })
  const omitted = remarks.length - mostShown
  return [headline, ...lines, ...(omitted > 0 ? [`  … and ${omitted} more; --format json shows all`] : [])]
}
