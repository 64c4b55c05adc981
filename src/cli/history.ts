import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { locateHistory } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import {
  type AnswerOptions,
  addAnswerOptions,
  addReadingOptions,
  printAnswer,
  type ReadingOptions,
} from './query-options.ts'

interface CopyOptions extends AnswerOptions {
  readonly snapshot?: boolean
}

interface UpgradeOptions extends ReadingOptions {
  readonly yes?: true
}

export function defineHistory(program: Command, execute: Execute): void {
  const history = program.command('history').description('Move the history to another place, and upgrade it')
  const copy = history
    .command('copy')
    .argument('<from>', 'the history: a file or postgres://…')
    .argument('<to>', 'the new place, empty or absent: a file or postgres://…')
    .description('Move a history to a file or a PostgreSQL server, and verify it there')
    .option('--snapshot', 'copy next to runs, and leave the original in use')
  addAnswerOptions(copy).action((from: string, to: string, options: CopyOptions) =>
    execute((terminal) => copyBetween(from, to, options, terminal)),
  )
  const upgrade = history
    .command('upgrade')
    .description('Upgrade the history to the newest schema, or make an empty one on a server')
    .option('--yes', 'a dump of the history on the server was taken')
  addReadingOptions(upgrade).action((options: UpgradeOptions) =>
    execute((terminal) => upgradeHistory(options, terminal)),
  )
}

async function copyBetween(
  fromName: string,
  toName: string,
  { snapshot = false, format }: CopyOptions,
  terminal: ProcessContext,
): Promise<number> {
  const { copyHistory } = await import('../app/copy-history.ts')
  const { openMovable } = await import('../app/open-movable.ts')
  const { verificationOf } = await import('../app/verify-report.ts')
  const { answerCopy, copyView } = await import('../queries/answer-history.ts')

  const from = readLocation(fromName, terminal.cwd())
  const to = readLocation(toName, terminal.cwd())
  await using original = await openMovable(from, terminal.env)
  await using target = await openMovable(to, terminal.env)
  const { run, rows } = await copyHistory(original, target, { ...verificationOf('plain'), isSnapshot: snapshot })
  const keyFile = from.kind === 'file' && existsSync(from.keyFile) ? from.keyFile : null
  const row = { from: from.shown, to: to.shown, rows, moved: !snapshot, key_file: keyFile }
  const view = copyView(adviseOnKey({ from, to, keyFile }, terminal.env))
  return printAnswer(answerCopy(row, run), view, format, terminal)
}

interface Places {
  readonly from: HistoryLocation
  readonly to: HistoryLocation
  readonly keyFile: string | null
}

/** With another key, changed secrets go undetected. Empty where the new place has the same key as it is. */
function adviseOnKey({ from, to, keyFile }: Places, env: ProcessContext['env']): readonly string[] {
  const isGiven = (env.HOOKDRIFT_SEAL_KEY ?? '') !== ''
  if (isGiven || keyFile === null) {
    return from.kind === to.kind ? [] : ['The installation key is not copied: give the new place the same one.']
  }
  if (to.kind === 'postgres') {
    return ['The installation key is not copied. On every machine:', `HOOKDRIFT_SEAL_KEY="hex:$(cat ${keyFile})"`]
  }
  if (to.keyFile === keyFile) return []
  return [`The installation key is not copied: copy ${keyFile} to ${dirname(to.keyFile)}.`]
}

async function upgradeHistory(options: UpgradeOptions, terminal: ProcessContext): Promise<number> {
  const { openMovable } = await import('../app/open-movable.ts')
  const { answerUpgrade, upgradeView } = await import('../queries/answer-history.ts')

  const location = await locateHistory(options, terminal)
  await using history = await openMovable(location, terminal.env)
  const upgraded = await history.upgrade(options.yes === true)
  if (location.kind === 'postgres') {
    const { installPool } = await import('../pool/open-pool.ts')
    await installPool(location.server)
  }
  return printAnswer(answerUpgrade(location.shown, upgraded), upgradeView, options.format, terminal)
}
