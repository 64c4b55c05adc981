import { Command, CommanderError } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { toolVersion } from '../app/tool-version.ts'
import { AuditError, exitCodes, messageOf } from '../model/errors.ts'
import { neutralise } from '../text/neutralise.ts'
import { defineAccept } from './accept.ts'
import { defineAudit } from './audit.ts'
import { defineBackup } from './backup.ts'
import { defineBaseline } from './baseline.ts'
import { defineCompare } from './compare.ts'
import { defineDemo } from './demo.ts'
import { defineDiff } from './diff.ts'
import { defineDoctor } from './doctor.ts'
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
import { defineState } from './state.ts'
import { defineStatus } from './status.ts'
import { defineTimeline } from './timeline.ts'
import { defineTrend } from './trend.ts'
import { defineVerify } from './verify.ts'
import { defineViolations } from './violations.ts'
import { defineWaivers } from './waivers.ts'
import { watchOutputs } from './watch-outputs.ts'
import { defineWorker } from './worker.ts'

const commands = [
  ...[defineAudit, defineWorker, defineReport, defineKeygen],
  ...[defineStatus, defineRuns, defineViolations, defineTrend, defineDiff, defineCompare, defineTimeline, defineState],
  ...[defineRestore, defineQuery],
  ...[
    definePrune,
    defineBackup,
    defineVerify,
    defineRules,
    definePolicy,
    defineBaseline,
    defineAccept,
    defineWaivers,
    defineProbe,
    defineNotify,
    defineDemo,
    defineInit,
    defineDoctor,
  ],
]

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
  const program = commandLine(terminal, async (run) => {
    exitCode = await run(terminal)
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

/** `report 3` means `report --run 3`, `audit acme/payments` means `audit --project acme/payments`. */
function suggestOption(program: Command, args: readonly string[]): string {
  const names: string[] = []
  let command = program
  for (const name of args) {
    const child = command.commands.find((each) => each.name() === name)
    if (child === undefined) continue
    command = child
    names.push(name)
  }
  const operand = command.args[command.registeredArguments.length]
  if (operand === undefined) return ''
  const meant = optionsMeant.find(
    ({ option, form }) => form.test(operand) && command.options.some(({ long }) => long === option),
  )
  if (meant === undefined) return ''
  return `  did you mean ${neutralise(`${names.join(' ')} ${meant.option} ${operand}`)}?\n`
}

const optionsMeant = [
  { option: '--run', form: /^(?:\d{1,15}|latest(?:~\d{1,9})?|\d{4}-\S{1,30})$/ },
  { option: '--policy', form: /\.ya?ml$/ },
  { option: '--project', form: /^[\w*]/ },
]

/** Builds all commands with their options; each hands its work to `execute`. */
export function commandLine(terminal: Pick<ProcessContext, 'stdout' | 'stderr'>, execute: Execute): Command {
  const program = new Command('hookdrift')
    .description('Audits the configuration of webhook delivery: what drifted, what violates the policy, since when.')
    .version(toolVersion(), '--version', 'Print the version')
    .helpOption('-h, --help', 'Print this help')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /, 'hookdrift: ').replace(/\n\(/, '\n  (')),
    })
    .hook('preAction', (_, command) => refuseEmpty(command))
    .addHelpText(
      'after',
      `
Exit codes: 0 clean, 1 violations, 2 usage or configuration, 3 incomplete scan,
            4 failure of hookdrift itself, 5 another process writes to the history, 130/143 interrupted.
Environment: HOOKDRIFT_HISTORY, HOOKDRIFT_SEAL_KEY, HOOKDRIFT_MARKS (off), HOOKDRIFT_LOG (trace, debug, info, warn, error, silent).`,
    )
  for (const define of commands) define(program, execute)
  explainHelp(program, program.name())
  return program
}

/** After a usage error, each command names its own help. */
function explainHelp(command: Command, name: string): void {
  command.showHelpAfterError(`  \`${name} --help\` lists commands and options`)
  if (command.commands.length > 0) command.helpCommand('help [command]', 'Print the help of a command')
  for (const child of command.commands) explainHelp(child, `${name} ${child.name()}`)
}

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
