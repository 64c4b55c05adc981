import type { Command } from 'commander'
import { checkFiles } from '../app/check-files.ts'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'
import { answerConfigCheck, configCheckView } from '../questions/answer-config.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, limitOf } from './query-options.ts'

interface CheckOptions extends AnswerOptions {
  readonly config: string
  readonly secrets: boolean
}

export function defineConfigCheck(command: Command, execute: Execute): void {
  addAnswerOptions(command)
    .option('-c, --config <file>', 'configuration file', 'hookdrift.yaml')
    .option('--no-secrets', 'do not require keys and other secrets, for machines that do not have them')
    .action((options: CheckOptions) => execute((terminal) => check(options, terminal)))
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
