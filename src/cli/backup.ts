import type { Command } from 'commander'
import { findHistoryFile, type HistoryOptions } from '../app/open-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { exitCodes } from '../model/errors.ts'

interface BackupOptions extends HistoryOptions {
  readonly force?: true
}

export function defineBackup(program: Command, execute: Execute): void {
  program
    .command('backup')
    .argument('<file>', 'the copy')
    .description('Copy the history while it is in use, and verify the copy')
    .option('--force', 'replace an existing file')
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
    .action((file: string, options: BackupOptions) => execute((terminal) => backup(file, options, terminal)))
}

async function backup(file: string, options: BackupOptions, terminal: ProcessContext): Promise<number> {
  const { backUp } = await import('../history/sqlite/back-up.ts')
  const { composeReport } = await import('../audit/compose-report.ts')
  const { openSecrets } = await import('../inventory/open-secrets.ts')
  const { neutralise } = await import('../text/neutralise.ts')

  const target = pathFrom(terminal.cwd(), file)
  const { bytes, verification } = await backUp(await findHistoryFile(options, terminal), target, {
    replace: options.force === true,
    depth: 'plain',
    exitCodeOf: (record) => composeReport(record).verdict.exit_code,
    openSecrets,
  })
  const runs = verification.run === null ? 'no run yet' : `runs up to ${verification.run.number}`
  terminal.stdout.write(`${neutralise(target)}: ${runs}, ${(bytes / 1e6).toFixed(1)} MB, verified.\n`)
  return exitCodes.clean
}
