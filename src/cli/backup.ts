import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { addReadingOptions, printAnswer, type ReadingOptions } from './query-options.ts'

interface BackupOptions extends ReadingOptions {
  readonly force?: true
}

export function defineBackup(program: Command, execute: Execute): void {
  const command = program
    .command('backup')
    .argument('<file>', 'the copy')
    .description('Copy the history while it is in use, and verify the copy')
    .option('--force', 'replace an existing file')
  addReadingOptions(command).action((file: string, options: BackupOptions) =>
    execute((terminal) => backup(file, options, terminal)),
  )
}

async function backup(file: string, options: BackupOptions, terminal: ProcessContext): Promise<number> {
  const { withUpkeep } = await import('../app/open-history.ts')
  const { verificationOf } = await import('../app/verify-report.ts')
  const { answerBackup, backupView } = await import('../queries/answer-writes.ts')

  const target = pathFrom(terminal.cwd(), file)
  const request = { ...verificationOf('plain'), replace: options.force === true }
  const made = await withUpkeep(await locateHistory(options, terminal), terminal.env, (upkeep) =>
    upkeep.backUp(target, request),
  )
  return printAnswer(answerBackup(target, made), backupView, options.format, terminal)
}
