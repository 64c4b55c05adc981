import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import { openMovable } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { answerUpgrade, upgradeView } from '../questions/answer-history.ts'
import { printAnswer } from './print-answer.ts'
import { addReadingOptions, type ReadingOptions } from './query-options.ts'

interface UpgradeOptions extends ReadingOptions {
  readonly yes?: true
}

export function defineHistoryUpgrade(command: Command, execute: Execute): void {
  command.option('--yes', 'confirm that you have a dump of the history on the server')
  addReadingOptions(command).action((options: UpgradeOptions) =>
    execute((terminal) => upgradeHistory(options, terminal)),
  )
}

async function upgradeHistory(options: UpgradeOptions, terminal: ProcessContext): Promise<number> {
  const location = await locateHistory(options, terminal)
  await using history = await openMovable(location, terminal.env)
  const upgraded = await history.upgrade(options.yes === true)
  if (location.kind === 'postgres') {
    const { installPool } = await import('../pool/open-pool.ts')
    await installPool(location.server)
  }
  return printAnswer(answerUpgrade(location.displayName, upgraded), upgradeView, options.format, terminal)
}
