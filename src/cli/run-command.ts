import { Command, CommanderError, Option } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { toolVersion } from '../app/tool-version.ts'
import { withoutConfiguration } from '../config/environment-document.ts'
import { withoutPassword } from '../history/postgres-server.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { neutralise } from '../text/neutralise.ts'
import { defineAccept } from './accept.ts'
import { defineAudit } from './audit.ts'
import { defineBackup } from './backup.ts'
import { defineBaseline } from './baseline.ts'
import { defineCompare } from './compare.ts'
import { defineCompletion } from './completion.ts'
import { defineConfig } from './config.ts'
import { defineDemo } from './demo.ts'
import { defineDiff } from './diff.ts'
import { defineDocs } from './docs.ts'
import { defineDoctor } from './doctor.ts'
import { arrangeHelp, commonGroup, helpLayout, suggestOption } from './help.ts'
import { defineHistory } from './history.ts'
import { defineInit } from './init.ts'
import { defineKeygen } from './keygen.ts'
import { defineNotify } from './notify.ts'
import { definePolicyCheck } from './policy-check.ts'
import { definePolicyExplain } from './policy-explain.ts'
import { definePolicyReplay } from './policy-replay.ts'
import { definePolicyTest } from './policy-test.ts'
import { defineProbe } from './probe.ts'
import { definePrune } from './prune.ts'
import { defineQuery } from './query.ts'
import { refuseEmpty } from './refuse-empty.ts'
import { defineReport } from './report.ts'
import { defineRestore } from './restore.ts'
import { defineRules } from './rules.ts'
import { defineRuns } from './runs.ts'
import { defineServe } from './serve.ts'
import { defineState } from './state.ts'
import { defineStatus } from './status.ts'
import { defineTimeline } from './timeline.ts'
import { defineTrend } from './trend.ts'
import { defineVerify } from './verify.ts'
import { defineVersion } from './version.ts'
import { defineViolations } from './violations.ts'
import { defineWaivers } from './waivers.ts'
import { watchOutputs } from './watch-outputs.ts'
import { defineWorker } from './worker.ts'

type Define = (program: Command, execute: Execute) => void

/** All commands, by the groups of the help and in its order. */
const groups: Readonly<Record<string, readonly Define[]>> = {
  Start: [defineInit, defineDoctor, defineDemo, defineConfig],
  Audit: [defineAudit, defineWorker, defineProbe],
  'Ask the history': [
    defineServe,
    defineStatus,
    defineViolations,
    defineReport,
    defineTimeline,
    defineRestore,
    defineDiff,
    defineCompare,
    defineState,
    defineTrend,
    defineRuns,
    defineQuery,
  ],
  Policy: [defineRules, definePolicy, defineBaseline, defineAccept, defineWaivers],
  'Keep the history': [defineVerify, defineBackup, definePrune, defineHistory, defineKeygen],
  Notify: [defineNotify],
  Help: [defineDocs, defineCompletion, defineVersion],
}

function definePolicy(program: Command, execute: Execute): void {
  const policy = program.command('policy').description('Check, test, explain and replay policies')
  for (const define of [definePolicyCheck, definePolicyTest, definePolicyExplain, definePolicyReplay])
    define(policy, execute)
}

/** Runs one command line and returns its exit code. Expected errors are printed here as sentences. */
export async function runCommand(args: readonly string[], terminal: ProcessContext): Promise<number> {
  const outputs = watchOutputs(terminal)
  const exitCode = await exitCodeOf(args, terminal)
  const isInterrupted = exitCode >= 128
  return (await outputs.delivered()) || isInterrupted ? exitCode : exitCodes.failure
}

async function exitCodeOf(args: readonly string[], terminal: ProcessContext): Promise<number> {
  let exitCode: number = exitCodes.clean
  let context = terminal
  const program = commandLine(terminal, async (run) => {
    exitCode = await run(context)
  }).hook('preAction', (_, command) => {
    // A file that was named is read, and nothing takes its place.
    const isNamed = command.getOptionValueSource('config') === 'cli'
    if (isNamed) context = { ...terminal, env: withoutConfiguration(terminal.env) }
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.excessArguments') terminal.stderr.write(suggestOption(program, args))
      return error.exitCode === 0 ? exitCodes.clean : exitCodes.usage
    }
    return printError(error, terminal)
  }
}

/** Builds all commands with their options; each hands its work to `execute`. */
export function commandLine(terminal: Pick<ProcessContext, 'stdout' | 'stderr'>, execute: Execute): Command {
  const program = new Command('hookdrift')
    .description('Audits the configuration of webhook delivery: what drifted, what violates the policy, since when.')
    // As node, npm and docker have it; a log in detail is HOOKDRIFT_LOG=debug.
    .version(toolVersion(), '-v, --version', 'Print the version')
    .addHelpOption(new Option('-h, --help', 'Print this help').helpGroup(commonGroup))
    .configureHelp(helpLayout)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) =>
        write(withoutPassword(text.replace(/^error: /, 'hookdrift: ').replace(/\n\(/, '\n  ('))),
    })
    .hook('preAction', (_, command) => {
      refuseEmpty(command)
      if ([...Object.values(command.opts()), ...command.args].some(holdsPassword)) terminal.stderr.write(passwordShown)
    })
    .addHelpText(
      'after',
      `
Exit codes: 0 clean, 1 violations, 2 usage or configuration, 3 incomplete scan,
            4 failure of hookdrift itself, 5 another process writes to the history, 130/143 interrupted.
Environment: HOOKDRIFT_HISTORY, HOOKDRIFT_SEAL_KEY,
             HOOKDRIFT_LOG (trace, debug, info, warn, error, silent);
             without a file: HOOKDRIFT_URL, HOOKDRIFT_KEY or HOOKDRIFT_KEY_FILE, HOOKDRIFT_PROJECTS.
Documentation: hookdrift docs            its pages, without a network
               hookdrift docs tutorial   the first to read`,
    )
  for (const [group, defines] of Object.entries(groups)) {
    program.commandsGroup(`${group}:`)
    for (const define of defines) define(program, execute)
  }
  arrangeHelp(program, program.name())
  return program
}

function holdsPassword(value: unknown): boolean {
  return typeof value === 'string' && value !== withoutPassword(value)
}

const passwordShown =
  'hookdrift: warning: the command line has a password, which other users may see in the list of processes\n  set HOOKDRIFT_HISTORY to the URL, or keep the password in PGPASSWORD or ~/.pgpass\n'

function printError(error: unknown, { stderr }: ProcessContext): number {
  if (!(error instanceof AuditError)) {
    stderr.write(`hookdrift: this is a bug: ${error instanceof Error ? error.stack : messageOf(error)}\n`)
    return exitCodes.failure
  }
  stderr.write(`hookdrift: ${neutraliseLines(error.message)}\n`)
  if (error.advice !== undefined) stderr.write(`  ${neutraliseLines(error.advice)}\n`)
  return error.exitCode
}

/** A message may have several lines, and may quote text of others, which must not control the terminal. */
function neutraliseLines(text: string): string {
  return text.split('\n').map(neutralise).join('\n')
}
