import { resolve } from 'node:path'
import type { Command } from 'commander'
import { checkFiles } from '../app/check-files.ts'
import { unlessStopped, untilSignalled } from '../app/end-in-order.ts'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { withProgress } from '../app/watch-run.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { toolVersion } from '../model/package-files.ts'
import { displayPath } from '../model/text/display-path.ts'
import { answerConfigCheck, configCheckView } from '../questions/answer-config.ts'
import { answerDoctor, doctorView, exitCodeOf } from './doctor/answer-doctor.ts'
import { runChecks } from './doctor/run-checks.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf } from './query-options.ts'

interface DoctorOptions extends HistoryOptions, AnswerOptions {
  readonly offline?: true
  readonly secrets: boolean
}

export function defineDoctor(command: Command) {
  addAnswerOptions(addConfigurationOptions(command))
    .option('--offline', 'check only the files, without a network: the configuration, its policy and the policy tests')
    .option('--no-secrets', 'with --offline: do not require keys and other secrets, for machines without them')
    .addHelpText(
      'after',
      `
It changes nothing, sends only GET requests to the services, and notifies no channel.
Exit codes: 0 no problem, 2 a problem of this installation, 3 a service cannot be audited.`,
    )

  return (options: DoctorOptions, terminal: ProcessContext) => {
    if (options.offline === true) return checkOffline(options, terminal)
    if (options.secrets) return doctor(options, terminal)
    throw AuditError.usage('--no-secrets goes with --offline', { advice: 'add --offline, or remove --no-secrets' })
  }
}

async function doctor(options: DoctorOptions, terminal: ProcessContext): Promise<number> {
  const cwd = terminal.cwd()
  const context = {
    config: resolve(cwd, options.config),
    history: options.history,
    cwd,
    clock: systemClock,
    sources: { env: terminal.env, readFile: readTextFile },
    random: Math.random,
    nodeVersion: process.versions.node,
    toolVersion: toolVersion(),
    showPath: (path: string) => displayPath(cwd, path),
  }
  const rows = await withProgress(terminal, 'checking the installation', () => runChecks(context, terminal))
  await printAnswer(answerDoctor(rows, limitOf(options)), doctorView, options.format, terminal)
  return exitCodeOf(rows)
}

async function checkOffline(options: DoctorOptions, terminal: ProcessContext): Promise<number> {
  const { config, history, secrets: needsSecrets } = options
  const { result: files, exitCode } = await untilSignalled((signal) =>
    unlessStopped(signal, checkFiles({ config, history, needsSecrets, signal }, terminal)),
  )
  if (files === undefined) return exitCode ?? exitCodes.failure
  await printAnswer(answerConfigCheck(files, limitOf(options)), configCheckView, options.format, terminal)
  return files.every(({ faults }) => faults.length === 0) ? exitCodes.clean : exitCodes.usage
}
