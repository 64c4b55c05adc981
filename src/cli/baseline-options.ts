import { readdirSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { readTextFile } from '../app/read-text-file.ts'
import { accountOnHost, systemUser } from '../app/system.ts'
import { type ProjectState, readStates } from '../config/state-file.ts'
import { sealCredentials } from '../gateway/inventory/seal-text.ts'
import { type Sealer, sealKnown } from '../gateway/inventory/sealer.ts'
import type { Signature } from '../history/approvals.ts'
import { AuditError } from '../model/errors.ts'
import type { ReadingOptions } from './query-options.ts'

export interface BaselineOptions extends ReadingOptions {
  readonly project: readonly string[]
  readonly note?: string
  readonly by?: string
}

/** Options of commands that approve states. */
export interface ApprovingOptions extends BaselineOptions {
  readonly yes?: true
}

export function addApproving(command: Command): Command {
  return addSignature(command)
    .addOption(
      new Option(
        '--note <text>',
        'reason, for the record; required when this ends a critical or high violation',
      ).default('', 'none'),
    )
    .option('--yes', 'do not ask for confirmation; off a terminal, required to end a critical or high violation')
}

export function addSignature(command: Command): Command {
  return command.option('--by <name>', 'name for the record (default: the current user)')
}

/**
 * The name for the record without secrets, the time, and the account and host next to it, as the operating system names
 * them: hookdrift authenticates no account.
 * @throws AuditError.usage when the current user has no name
 */
export function signature(by: string | undefined, masking: Sealer): Signature {
  const name = by ?? systemUser()
  if (name === undefined || name.trim() === '') {
    // In a container, an account may be a number without an entry in /etc/passwd.
    const what = by === undefined ? `the account has no name here: ${accountOnHost()}` : '--by is empty'
    throw AuditError.usage(what, { advice: 'pass --by NAME' })
  }
  return {
    by: sealCredentials(sealKnown(name, masking), masking),
    at: new Date().toISOString(),
    osUser: accountOnHost(),
  }
}

/**
 * Reads the states of a directory that \`baseline export\` wrote.
 * @throws AuditError.usage when a file is not a state or is damaged, or two are of one project
 */
export function readStateFiles(directory: string): readonly ProjectState[] {
  return readStates(directory, { list: (path) => readdirSync(path), read: readTextFile })
}
