import { type Command, InvalidArgumentError, Option } from 'commander'
import { type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import { openExistingHistory } from '../app/open-history.ts'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { findRun } from '../history/find-run.ts'
import type { OpenHistory } from '../history/history.ts'
import type { CommittedRun, HistoryReader } from '../history/reader.ts'
import { exitCodes } from '../model/errors.ts'
import { readDuration } from '../model/instant.ts'
import { type Kind, kinds } from '../model/resource.ts'
import type { Answer } from '../report/answer.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import { type AnswerView, writeAnswer } from '../report/show-answer.ts'

/** Options of every command that prints an answer. */
export interface AnswerOptions {
  readonly format: AnswerFormat
  readonly limit?: number
}

/** Options of the commands that read the history. */
export interface ReadingOptions extends HistoryOptions, AnswerOptions {}

/** Help for arguments that `findRun` reads. */
export const runOrTime = 'a run (12, latest, latest~2) or a time (2026-11-21, yesterday, 7d, an instant)'

const rowsForPeople = 100

export function addReadingOptions(command: Command, formats?: readonly string[]): Command {
  return addAnswerOptions(addHistoryOptions(command), formats)
}

export function addHistoryOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history, a file or postgres://…; then no configuration is read')
}

/** For commands that read the whole configuration. */
export function addConfigurationOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration', 'hookdrift.yaml')
    .option('--history <file>', "history, a file or postgres://…; overrides the configuration's and HOOKDRIFT_HISTORY")
}

export function addAnswerOptions(command: Command, formats: readonly string[] = answerFormats): Command {
  return command
    .addOption(new Option('-f, --format <format>', 'of the answer').choices(formats).default('text'))
    .addOption(
      new Option('-n, --limit <rows>', `a number or "all"; default: ${rowsForPeople} as text, else all`).argParser(
        toLimit,
      ),
    )
}

export function addProjectOption(command: Command): Command {
  return command.addOption(
    new Option(
      '-p, --project <name...>',
      'only these projects: service/project, or a pattern such as "acme/*"',
    ).default([], 'all'),
  )
}

export function addKindOption(command: Command): Command {
  return command.addOption(new Option('--kind <kind>', 'only resources of this kind').choices([...kinds]))
}

export interface ChoiceOptions {
  readonly project: readonly string[]
  readonly kind?: Kind
}

function toLimit(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number from 1, or all.')
}

/** In milliseconds. */
export function toDuration(text: string): number {
  const ms = readDuration(text)
  if (ms !== undefined) return ms
  throw new InvalidArgumentError('Expected a duration such as 90s, 30m, 25h or 2d.')
}

export function limitOf({ limit, format }: AnswerOptions): number {
  return limit ?? (format === 'text' ? rowsForPeople : Number.POSITIVE_INFINITY)
}

/** Opens the existing history, works with it, and closes it; or works with the one that the context has open. */
export async function withHistory<Result>(
  options: HistoryOptions,
  terminal: ProcessContext,
  work: (history: OpenHistory) => Promise<Result>,
): Promise<Result> {
  if (terminal.reading !== undefined) return work(terminal.reading.history)
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

/** For answers about a run that were about the last one only. */
export function addRunOption(command: Command): Command {
  return command.option('--run <run|time>', `as of ${runOrTime}`, 'latest')
}

/** Finds the run of that number, word or time. */
export async function runNamed(reader: HistoryReader, name: string): Promise<CommittedRun> {
  const last = name === 'latest' ? await reader.lastRun() : undefined
  if (last !== undefined) return last
  return findRun(await reader.runs(), name, systemClock.now())
}

/** Prints an answer, and returns the exit code of commands that only read. */
export async function printAnswer<Row>(
  answer: Answer<Row>,
  view: AnswerView<Row>,
  format: AnswerFormat,
  terminal: ProcessContext,
): Promise<number> {
  const render = renderOptionsFor(terminal)
  const tableWidth = terminal.stdout.isTTY === true ? render.width : Number.POSITIVE_INFINITY
  terminal.stdout.write(writeAnswer(format, answer, view, { ...render, tableWidth }))
  // CSV cannot contain it.
  if (format === 'csv' && answer.omitted !== 0) {
    const left = answer.omitted === 'unknown' ? '' : `${answer.omitted} `
    terminal.stderr.write(`hookdrift: ${left}more rows omitted; --limit all shows them\n`)
  }
  return exitCodes.clean
}
