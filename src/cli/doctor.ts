import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf, printAnswer } from './query-options.ts'

interface DoctorOptions extends HistoryOptions, AnswerOptions {}

export function defineDoctor(program: Command, execute: Execute): void {
  const command = addConfigurationOptions(program.command('doctor')).description(
    'Check the configuration, the policy, the history and each service, and say what to do',
  )
  addAnswerOptions(command)
    .addHelpText(
      'after',
      `
  hookdrift doctor                  checks everything, a line a check
  hookdrift doctor --format json    the same for programs

It changes nothing, sends GET requests to the services, and sends nothing to people.
Exit codes: 0 no problem, 2 a problem of this installation, 3 a service cannot be audited.`,
    )
    .action((options: DoctorOptions) => execute((terminal) => doctor(options, terminal)))
}

async function doctor(options: DoctorOptions, terminal: ProcessContext): Promise<number> {
  const { answerDoctor, doctorView, exitCodeOf } = await import('../doctor/answer-doctor.ts')
  const { runChecks } = await import('../doctor/run-checks.ts')
  const { readTextFile } = await import('../app/read-text-file.ts')
  const { shownPath } = await import('../text/shown-path.ts')
  const { systemClock } = await import('../app/system.ts')
  const { toolVersion } = await import('../app/tool-version.ts')
  const cwd = terminal.cwd()
  const context = {
    ...{ config: resolve(cwd, options.config), history: options.history, cwd, clock: systemClock },
    sources: { env: terminal.env, readFile: readTextFile },
    random: Math.random,
    nodeVersion: process.versions.node,
    toolVersion: toolVersion(),
    shown: (path: string) => shownPath(cwd, path),
  }
  const rows = await runChecks(context, terminal)
  await printAnswer(answerDoctor(rows, limitOf(options)), doctorView, options.format, terminal)
  return exitCodeOf(rows)
}
