import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { showConfiguration } from '../config/show-configuration.ts'
import { exitCodes } from '../model/errors.ts'
import { answerConfig, configView, writeConfig } from '../questions/answer-config.ts'
import { type AnswerFormat, answerFormats } from '../report/answer-formats.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf } from './query-options.ts'

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
