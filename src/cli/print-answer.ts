import { type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import { openExistingHistory } from '../app/open-history.ts'
import { markOf, type ProcessContext, printMessage, renderOptionsFor } from '../app/process-context.ts'
import type { OpenHistory } from '../history/history.ts'
import { exitCodes } from '../model/errors.ts'
import { count } from '../model/text/count.ts'
import type { Answer, AnswerCoverage, AnswerView } from '../report/answer.ts'
import type { AnswerFormat } from '../report/answer-formats.ts'
import { gapsOf } from '../report/gaps.ts'
import { writeAnswer } from '../report/show-answer.ts'
import { locateCommands, type NamedHistory } from '../report/text/commands.ts'
import type { ReadingOptions } from './query-options.ts'

/** Opens the existing history, works with it, and closes it. Not for answers to others: these have one that is theirs. */
export async function withHistory<Result>(
  options: HistoryOptions,
  terminal: ProcessContext,
  work: (history: OpenHistory) => Promise<Result>,
): Promise<Result> {
  if (terminal.reading !== undefined) throw new Error('the history of a reader is open')
  const history = await openExistingHistory(await locateHistory(options, terminal), terminal.env)
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

/** Prints an answer that is read from the existing history. */
export async function answerFromHistory<Row>(
  options: ReadingOptions,
  terminal: ProcessContext,
  view: AnswerView<Row>,
  read: (history: OpenHistory) => Promise<Answer<Row>>,
): Promise<number> {
  return printAnswer(await withHistory(options, terminal, read), view, options.format, terminal)
}

/** Prints an answer, and returns the exit code of commands that only read. */
export async function printAnswer<Row>(
  answer: Answer<Row>,
  view: AnswerView<Row>,
  format: AnswerFormat,
  terminal: ProcessContext,
): Promise<number> {
  const { locating = {} } = terminal
  const render = renderOptionsFor(terminal)
  const tableWidth = terminal.stdout.isTTY === true ? render.width : Number.POSITIVE_INFINITY
  terminal.stdout.write(
    markOf(format, terminal) + writeAnswer(format, answer, view, { ...render, locating, tableWidth }),
  )
  // CSV cannot contain it.
  if (format === 'csv') for (const line of besidesRows(answer, locating)) printMessage(`hookdrift: ${line}`, terminal)
  return exitCodes.clean
}

/** What the rows do not say by themselves: that there are more, and that not everything was scanned. */
function besidesRows<Row>({ omitted, coverage = [], unknown = [] }: Answer<Row>, locating: NamedHistory): string[] {
  return [
    ...sayIncomplete(coverage, locating),
    ...unknown.map((line) => locateCommands(line, locating)),
    ...(omitted === 0
      ? []
      : [`${omitted === 'unknown' ? '' : `${omitted} `}more rows omitted; --limit all shows them`]),
  ]
}

/** For outputs that cannot contain it: that not everything was scanned; none where it was. */
export function sayIncomplete(coverage: readonly AnswerCoverage[], locating: NamedHistory): string[] {
  const walks = coverage.filter(({ status }) => status !== 'skipped')
  const gaps = gapsOf(walks).length
  const incomplete = `incomplete scan: ${gaps} of ${count(walks.length, 'listing')} not complete; \`hookdrift status --listings --incomplete\` lists them`
  return gaps === 0 ? [] : [locateCommands(incomplete, locating)]
}
