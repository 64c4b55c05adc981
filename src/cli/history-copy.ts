import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { copyHistory } from '../app/copy-history.ts'
import { openMovable } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { verificationOf } from '../app/verification-request.ts'
import { type HistoryLocation, readLocation } from '../history/location.ts'
import { answerCopy, copyView } from '../questions/answer-history.ts'
import { shellWord } from '../report/text/commands.ts'
import { refuseNeeded } from './deliver-report.ts'
import { printAnswer } from './print-answer.ts'
import { type AnswerOptions, addAnswerOptions } from './query-options.ts'

interface CopyOptions extends AnswerOptions {
  readonly snapshot?: boolean
}

export function defineHistoryCopy(command: Command, execute: Execute): void {
  command
    .argument('<from>', 'history to copy: a file or postgres://…')
    .argument('<to>', 'new place, empty or absent: a file or postgres://…')
    .option('--snapshot', 'copy while runs go on, and leave the original in use')
  addAnswerOptions(command).action((from: string, to: string, options: CopyOptions) =>
    execute((terminal) => copyBetween(from, to, options, terminal)),
  )
}

async function copyBetween(
  fromName: string,
  toName: string,
  { snapshot = false, format }: CopyOptions,
  terminal: ProcessContext,
): Promise<number> {
  const from = readLocation(fromName, terminal.cwd())
  const to = readLocation(toName, terminal.cwd())
  if (from.kind === 'file' && to.kind === 'file') {
    refuseNeeded('history copy', to.path, [{ file: from.path, what: 'the history to copy' }])
  }
  await using original = await openMovable(from, terminal.env)
  await using target = await openMovable(to, terminal.env)
  const { run, rows } = await copyHistory(original, target, { ...verificationOf('plain'), isSnapshot: snapshot })
  const keyFile = from.kind === 'file' && existsSync(from.keyFile) ? from.keyFile : null
  const row = { from: from.displayName, to: to.displayName, rows, moved: !snapshot, key_file: keyFile }
  const view = copyView(adviseOnKey({ from, to, keyFile }, terminal.env))
  return printAnswer(answerCopy(row, run), view, format, terminal)
}

/** With another key, changed secrets go undetected. Empty where the target has the same key as it is. */
function adviseOnKey(
  {
    from,
    to,
    keyFile,
  }: { readonly from: HistoryLocation; readonly to: HistoryLocation; readonly keyFile: string | null },
  env: ProcessContext['env'],
): readonly string[] {
  const isGiven = (env.HOOKDRIFT_SEAL_KEY ?? '') !== ''
  if (isGiven || keyFile === null) {
    return from.kind === to.kind ? [] : ['The installation key is not copied: give the new place the same one.']
  }
  if (to.kind === 'postgres') {
    return [
      'The installation key is not copied. On every machine:',
      `HOOKDRIFT_SEAL_KEY="hex:$(cat ${shellWord(keyFile)})"`,
    ]
  }
  if (to.keyFile === keyFile) return []
  return [`The installation key is not copied: copy ${keyFile} to ${dirname(to.keyFile)}.`]
}
