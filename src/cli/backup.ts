import { resolve } from 'node:path'
import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import { withUpkeep } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { verificationOf } from '../app/verification-request.ts'
import { answerBackup, backupView } from '../questions/answer-writes.ts'
import { findNeededFiles, refuseNeeded } from './deliver-report.ts'
import { printAnswer } from './print-answer.ts'
import { addReadingOptions, type ReadingOptions } from './query-options.ts'

interface BackupOptions extends ReadingOptions {
  readonly force?: true
}

export function defineBackup(command: Command, execute: Execute): void {
  command.argument('<file>', 'file for the copy').option('--force', 'replace an existing file')
  addReadingOptions(command).action((file: string, options: BackupOptions) =>
    execute((terminal) => backup(file, options, terminal)),
  )
}

async function backup(file: string, options: BackupOptions, terminal: ProcessContext): Promise<number> {
  const target = resolve(terminal.cwd(), file)
  refuseNeeded('backup', target, await findNeededFiles(options, terminal))
  const request = { ...verificationOf('plain'), replace: options.force === true }
  const made = await withUpkeep(await locateHistory(options, terminal), terminal.env, (upkeep) =>
    upkeep.backUp(target, request),
  )
  return printAnswer(answerBackup(target, made), backupView, options.format, terminal)
}
