import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { checkFiles } from '../app/check-files.ts'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { showConfiguration } from '../config/show-configuration.ts'
import { exitCodes } from '../model/errors.ts'
import {
  answerConfig,
  answerConfigCheck,
  configCheckView,
  configView,
  writeConfig,
} from '../questions/answer-config.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import { printAnswer } from './print-answer.ts'
import {
  type AnswerOptions,
  addAnswerOptions,
  addConfigurationOptions,
  limitOf,
  usualConfiguration,
} from './query-options.ts'

interface CheckOptions extends AnswerOptions {
  readonly config: string
  readonly secrets: boolean
}

export function defineConfigCheck(command: Command) {
  addAnswerOptions(command)
    .option('-c, --config <file>', 'configuration file', usualConfiguration)
    .option('--no-secrets', 'do not require keys and other secrets, for machines that do not have them')

  return check
}

async function check(options: CheckOptions, terminal: ProcessContext): Promise<number> {
  const { config, secrets: needsSecrets } = options
  const { result: files, exitCode } = await untilSignalled((signal) =>
    unlessStopped(signal, checkFiles({ config, needsSecrets, signal }, terminal)),
  )
  if (files === undefined) return exitCode ?? exitCodes.failure
  await printAnswer(answerConfigCheck(files, limitOf(options)), configCheckView, options.format, terminal)
  return files.every(({ faults }) => faults.length === 0) ? exitCodes.clean : exitCodes.usage
}

interface ShowOptions extends Omit<AnswerOptions, 'format'> {
  readonly config: string
  readonly history?: string
  readonly format: AnswerFormat | 'yaml'
}

export function defineConfigShow(command: Command) {
  addAnswerOptions(addConfigurationOptions(command), [...answerFormats, 'yaml'])
  return show
}

async function show(options: ShowOptions, terminal: ProcessContext): Promise<number> {
  const { config, history, format } = options
  const values = showConfiguration(config, {
    sources: { env: terminal.env, readFile: readTextFile },
    cwd: terminal.cwd(),
    history,
    exists: existsSync,
  })
  if (format === 'yaml') {
    terminal.stdout.write(writeConfig(values))
    return exitCodes.clean
  }
  return printAnswer(answerConfig(values, limitOf({ ...options, format })), configView, format, terminal)
}
