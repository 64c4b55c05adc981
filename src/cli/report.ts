import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { AuditError, exitCodes } from '../model/errors.ts'
import type { Format } from '../report/reports.ts'
import type { Execute } from './execute.ts'
import { formats } from './formats.ts'
import { pathFrom } from './path-from.ts'
import { lookOf, type Terminal } from './terminal.ts'

interface ReportOptions {
  readonly config: string
  readonly history?: string
  readonly run?: string
  readonly at?: string
  readonly format: Format
  readonly output?: string
}

export function defineReport(program: Command, execute: Execute): void {
  program
    .command('report')
    .description('print the report of any past run, as it was printed then')
    .option('--run <run>', 'a number, latest or latest~N', 'latest')
    .addOption(
      new Option('--at <time>', 'the last run sealed by then; a bare date means its end, UTC').conflicts('run'),
    )
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
    .addOption(new Option('--format <format>', 'of the report').choices(formats).default('text'))
    .option('--output <file>', 'write it to a file instead of stdout')
    .action((options: ReportOptions) => execute((terminal) => report(options, terminal)))
}

async function report(options: ReportOptions, terminal: Terminal): Promise<number> {
  const { composeReport } = await import('../audit/compose-report.ts')
  const { findRun, findRunAt } = await import('../history/find-run.ts')
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { reports } = await import('../report/reports.ts')
  const { thisProcess } = await import('./system.ts')
  const { writeFileAtomically } = await import('./write-file-atomically.ts')

  const history = openExistingHistory(await historyOf(options, terminal), thisProcess)
  try {
    const runs = await history.runs()
    const number = options.at === undefined ? findRun(runs, options.run ?? 'latest') : findRunAt(runs, options.at)
    const record = await history.readRun(number)
    if (record === undefined) throw new AuditError(4, `run ${number} went away while it was read`)
    const text = reports[options.format](composeReport(record), {
      ...lookOf(terminal),
      full: options.output !== undefined,
    })
    if (options.output === undefined) terminal.stdout.write(text)
    else writeFileAtomically(pathFrom(terminal.cwd(), options.output), text)
    return exitCodes.clean
  } finally {
    await history.close()
  }
}

/** `--history`, then the environment, then the configuration, which is read only if it must be: it needs its keys. */
async function historyOf({ history, config }: ReportOptions, { env, cwd }: Terminal): Promise<string> {
  const named = history ?? env.HOOKDRIFT_HISTORY
  if (named !== undefined && named !== '') return pathFrom(cwd(), named)
  const { readConfiguration } = await import('../config/read-configuration.ts')
  return readConfiguration(config, { env, readFile: (file) => readFileSync(file, 'utf8') }).history
}
