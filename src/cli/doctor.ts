import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { withProgress } from '../app/watch-run.ts'
import { answerDoctor, doctorView, exitCodeOf } from '../doctor/answer-doctor.ts'
import { runChecks } from '../doctor/run-checks.ts'
import { toolVersion } from '../model/package-files.ts'
import { displayPath } from '../text/display-path.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions, addConfigurationOptions, limitOf } from './query-options.ts'

interface DoctorOptions extends HistoryOptions, AnswerOptions {}

export function defineDoctor(command: Command) {
  addAnswerOptions(addConfigurationOptions(command)).addHelpText(
    'after',
    `
It includes \`config check\`, which includes \`policy check\`; these two need no network. It changes
nothing, sends only GET requests to the services, and notifies no channel.
Exit codes: 0 no problem, 2 a problem of this installation, 3 a service cannot be audited.`,
  )

  return doctor
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
