import { readdirSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { findHistoryFile, type HistoryOptions } from '../app/open-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import type { Signature } from '../history/approvals.ts'
import type { History } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'

export function addPlace(command: Command): Command {
  return command
    .option('--config <file>', 'configuration, for the path of the history', 'hookdrift.yaml')
    .option('--history <file>', 'history; then no configuration is read')
}

export function addSignature(command: Command): Command {
  return command.option('--by <name>', 'name for the record (default: the current user)')
}

/** Opens the history that is there, works with it, and closes it. */
export async function withHistory<Result>(
  place: HistoryOptions,
  terminal: ProcessContext,
  work: (history: History) => Promise<Result>,
): Promise<Result> {
  const { openExistingHistory } = await import('../history/sqlite/sqlite-history.ts')
  const { thisProcess } = await import('../app/system.ts')
  const { resealingFor } = await import('../app/resealing-for.ts')
  const file = await findHistoryFile(place, terminal)
  const history = openExistingHistory(file, thisProcess, await resealingFor(file, terminal.env))
  try {
    return await work(history)
  } finally {
    await history.close()
  }
}

/** Who does it, and now. */
export function signature(by: string | undefined): Signature {
  const name = by ?? systemUser()
  if (name === undefined || name.trim() === '') {
    throw AuditError.usage('cannot determine the current user', { advice: 'pass --by NAME' })
  }
  return { by: name, at: new Date().toISOString() }
}

/** A container may run under a number that has no name. */
function systemUser(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

export async function printLine({ stdout }: ProcessContext, text: string): Promise<void> {
  const { neutralise } = await import('../text/neutralise.ts')
  stdout.write(`${neutralise(text)}\n`)
}

/** The file system, as states are read from it. */
export const stateFiles = { list: (directory: string) => readdirSync(directory), read: readTextFile }
