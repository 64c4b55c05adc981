import { isCoverageComplete } from '../model/coverage.ts'
import { jsonOfNumbers } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'
import { count } from '../model/text/count.ts'
import { neutraliseJson } from '../model/text/neutralise.ts'
import { columnsIn, layTable, valueIn } from '../model/text/table.ts'
import type { Answer, AnswerCoverage, AnswerPage, AnswerRun, AnswerView } from './answer.ts'
import type { AnswerFormat } from './answer-formats.ts'
import { type Cell, csvTable } from './csv-table.ts'
import { describeFailures, groupFailures } from './describe-failures.ts'
import { type Block, list, text } from './document/blocks.ts'
import { narrowest, type Screen, showBlocks } from './document/terminal.ts'
import { listingWalks } from './gaps.ts'
import type { RenderOptions } from './report-format.ts'
import { locateCommands, locatingOptions } from './text/commands.ts'
import { painter } from './text/paint.ts'
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
  const { colour, width, tableWidth, locating = {} } = render
  const locate = (said: string) => (locating === null ? said : locateCommands(said, locating))
  const screen = { paint: painter(colour), width: Math.max(width, narrowest), full: true, locate }
  const show = (blocks: readonly Block[]) => {
    const [first, ...rest] = showBlocks(blocks, screen)
    return first === undefined || first === '' ? rest : [first, ...rest]
  }
  const page: AnswerPage = {
    runNumber: answer.run?.number ?? 0,
    commandFor: (command) => (locating === null ? null : `hookdrift ${command}${locatingOptions('report', locating)}`),
  }
  const rowsOf = () =>
    view.blocks === undefined ? showTable(answer, view, { ...screen, tableWidth }) : show(view.blocks(answer, page))
  const omitted = `… and ${answer.omitted === 'unknown' ? '' : `${answer.omitted} `}${view.omits ?? 'more'}; --limit all shows them`
  const saysRun = view.isOfRun !== false && (answer.run !== null || answer.rows.length === 0)
  const parts = [
    show([...(saysRun ? extentOf(answer) : []), ...sentences(answer.remarks)]),
    answer.rows.length === 0 ? show([text(view.nothing)]) : rowsOf(),
    answer.omitted === 0 ? [] : show([text(omitted, 'aside')]),
    show(sentences(answer.conclusion)),
  ]
  return parts
    .filter((part) => part.length > 0)
    .map((part) => `${part.join('\n')}\n`)
    .join('\n')
}

function sentences(said: readonly string[] = []): readonly Block[] {
  return said.map((sentence) => text(sentence))
}

function showTable<Row>(
  { rows }: Answer<Row>,
  { columns, below }: AnswerView<Row>,
  { tableWidth, ...screen }: Screen & Pick<AnswerRenderOptions, 'tableWidth'>,
): string[] {
  const [header = [], ...lines] = layTable(columns, rows, tableWidth)
  const rowLines = rows.flatMap((row, at) => {
    const sentence = showBlocks([text(below?.(row) ?? '')], { ...screen, width: screen.width - 4 })
    return [...(lines[at] ?? []), ...sentence.map((line) => `    ${line}`)]
  })
  return [...header.map((line) => screen.paint('heading', line)), ...rowLines]
}

const mostShown = 5

/** The run that an answer is as of, and its gaps: without them, the rows mean nothing. */
function extentOf({ run, coverage }: Pick<Answer<never>, 'run' | 'coverage'>): readonly Block[] {
  if (run === null) return [text('The history has no committed run.')]
  const asOf = text(`As of run ${run.number}, ${showTime(run.started_at)}.`, 'aside')
  // Of the policy, nothing is scanned.
  return coverage === undefined || coverage.length === 0 ? [asOf] : [asOf, ...describeWalks(coverage, run)]
}

function describeWalks(coverage: readonly AnswerCoverage[], run: AnswerRun): readonly Block[] {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const incomplete = walks.filter(({ status }) => status !== 'complete')
  const ofProjects = listingWalks(coverage)
  // A list is read again only where something is open for it.
  const earlier = new Map(ofProjects.filter((walk) => walk.run < run.number).map((walk) => [walk.project, walk.run]))
  const [only = '', ...others] = new Set(ofProjects.map(({ project }) => project))
  // An answer about one project or one resource says nothing about the others of the run.
  const scanned = others.length === 0 ? only : count(others.length + 1, 'project')
  const remarks = [
    ...groupFailures(coverage, []).map((group) => {
      const { headline, cost } = describeFailures(group)
      return `${shorten(headline, 300)} (${cost})`
    }),
    ...[...earlier].map(([project, last]) => `${project} was last scanned by run ${last}`),
  ]
  const omitted = remarks.length - mostShown
  return [
    isCoverageComplete(coverage)
      ? text(`Scanned ${scanned} completely.`, 'good')
      : text(`INCOMPLETE SCAN: ${incomplete.length} of ${count(walks.length, 'listing')} not complete.`, 'alarm'),
    ...list(
      'remark',
      remarks.slice(0, mostShown).map((remark) => ({ text: remark })),
    ),
    ...(omitted > 0 ? [text(`… and ${omitted} more; --format json shows all`)] : []),
  ]
}
