import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { untilSignalled } from '../app/end-in-order.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { systemClock } from '../app/system.ts'
import { createSealer } from '../gateway/inventory/sealer.ts'
import { AuditError, exitCodes, signalExits } from '../model/errors.ts'
import { packageFile, toolVersion } from '../model/package-files.ts'
import { Stop } from '../model/stop.ts'
import { neutralise } from '../model/text/neutralise.ts'
import { rare } from './help.ts'
import type { Asker } from './init/ask.ts'
import { type Strictness, strictnesses, type Target, targets } from './init/interview.ts'
import { runInit } from './init/run-init.ts'

interface InitOptions {
  readonly url?: string
  readonly keyFromEnv?: string
  readonly organisation?: string
  readonly projects?: string
  readonly for?: Target
  readonly strictness?: Strictness
  readonly acceptOpen?: string
  readonly yes?: true
  readonly directory: string
}

export function defineInit(command: Command) {
  command
    .option('--url <url>', 'URL of the service')
    .option('--key-from-env <variable>', 'the environment variable that holds the API key')
    .option(
      '--organisation <id>',
      'id of the organisation whose projects are audited; needed for a personal key with --projects all',
    )
    .option('--projects <all|id,…>', 'all projects of the organisation, or a list of ids')
    .addOption(rare('--for <place>', 'where the audits will run').choices(targets))
    .addOption(
      rare(
        '--strictness <rules>',
        'which rules apply: all recommended ones, or only those that are critical or high',
      ).choices(strictnesses),
    )
    .addOption(
      rare(
        '--accept-open <owner>',
        'waive the violations that are open now for 60 days, in the name of this owner',
      ).argParser(toOwner),
    )
    .option('--yes', 'ask nothing: use the suggested answer for each option that is not given')
    .addOption(rare('--directory <directory>', 'directory for the files').default('.'))
    .addHelpText(
      'after',
      `
It writes all files or none, replaces no file, and stores no key.
A project's key needs no --organisation. For a personal key, copy the id from
the organisation's settings in Convoy's dashboard, or organisation_id from the API.
Exit codes: 0 files written, 2 an answer is missing or wrong, 3 the service cannot be audited.`,
    )

  return init
}

async function init(options: InitOptions, terminal: ProcessContext): Promise<number> {
  const { url, keyFromEnv, organisation, projects, strictness, acceptOpen } = options
  const { result, exitCode } = await untilSignalled(async (signal) => {
    try {
      await runInit({
        given: { url, keyFromEnv, organisation, projects, strictness, acceptOpen, target: options.for },
        asker: await openTerminal(options, terminal, signal),
        terminal,
        signal,
        clock: systemClock,
        random: Math.random,
        env: terminal.env,
        say: sayOn(terminal),
        directory: resolve(terminal.cwd(), options.directory),
        sealer: createSealer(randomBytes(32)),
        version: toolVersion(),
        readPackageFile: (path) => readTextFile(packageFile(path)),
      })
      return exitCodes.clean
    } catch (error) {
      if (error instanceof Stop || signal.aborted) return signalExits.SIGINT
      throw withoutFiles(error)
    }
  })
  if (result === exitCodes.clean) return result
  terminal.stderr.write('hookdrift: stopped, no file was written\n')
  return exitCode ?? result
}

/** Only a person at a terminal that can move its cursor is asked. */
async function openTerminal(
  { yes }: InitOptions,
  { stdout, env }: ProcessContext,
  signal: AbortSignal,
): Promise<Asker | undefined> {
  const isWatched = stdout.isTTY === true && process.stdin.isTTY && env.TERM !== 'dumb'
  if (yes === true || !isWatched) return undefined
  const { openAsker } = await import('./init/ask.ts')
  return openAsker(process.stdin, process.stdout, signal)
}

/** Says so once, no matter what ended the set-up. */
function withoutFiles(error: unknown): unknown {
  if (!(error instanceof AuditError)) return error
  const { kind, message, advice, cause } = error
  const lines = [...(advice === undefined ? [] : [advice]), 'no file was written']
  return new AuditError(kind, message, { advice: lines.join('\n  '), cause })
}

const marks = { good: '✓ ', note: '! ', text: '' } as const

function sayOn({ stdout }: ProcessContext) {
  return (how: keyof typeof marks, text: string) => {
    const lines = text.split('\n').map(neutralise)
    stdout.write(`${marks[how]}${lines.join('\n')}\n`)
  }
}

function toOwner(text: string): string {
  const owner = text.trim()
  if (owner !== '' && owner.length <= 200 && !/[\0-\x1f\x7f]/.test(owner)) return owner
  throw new InvalidArgumentError('Expected a name of at most 200 characters.')
}
