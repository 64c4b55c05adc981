import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import type { NamedHistory } from '../report/text/commands.ts'

/** Options of every command that prints an answer. */
export interface AnswerOptions {
  readonly format: AnswerFormat
  readonly limit?: number
}

/** Options of the commands that read the history. */
export interface ReadingOptions extends HistoryOptions, AnswerOptions {}

const rowsForPeople = 100
export const usualConfiguration = 'hookdrift.yaml'

export function addReadingOptions(command: Command, formats?: readonly string[]): Command {
  return addAnswerOptions(addHistoryOptions(command), formats)
}

export function addHistoryOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file, read for the path of the history', usualConfiguration)
    .option('--history <file>', 'history: a file or postgres://…; no configuration is read then')
}

/** For commands that read the whole configuration. */
export function addConfigurationOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'configuration file', usualConfiguration)
    .option('--history <file>', 'history: a file or postgres://…; overrides the configuration and HOOKDRIFT_HISTORY')
}

export function addAnswerOptions(command: Command, formats: readonly string[] = answerFormats): Command {
  return command
    .addOption(new Option('-f, --format <format>', 'output format').choices(formats).default('text'))
    .addOption(
      new Option(
        '-n, --limit <rows>',
        `show at most this many rows, or "all" (default: ${rowsForPeople} as text, otherwise all)`,
      ).argParser(toLimit),
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

function toLimit(text: string): number {
  if (text === 'all') return Number.POSITIVE_INFINITY
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number from 1, or all.')
}

export function limitOf({ limit, format }: AnswerOptions): number {
  return limit ?? (format === 'text' ? rowsForPeople : Number.POSITIVE_INFINITY)
}

/**
 * How the options of a command name its configuration and its history, for one without options: `usual` is the
 * configuration that it reads. A password is left out.
 */
export function locatingOf({ config, history }: Partial<HistoryOptions>, usual = usualConfiguration): NamedHistory {
  return {
    ...(config === undefined || config === usual ? {} : { config }),
    ...(history === undefined ? {} : { history: withoutPassword(history) }),
  }
}
