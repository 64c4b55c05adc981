import { CommanderError } from 'commander'
import { type Output, type ProcessContext, printMessage } from '../app/process-context.ts'
import { withoutConfiguration } from '../config/environment-document.ts'
import { AuditError, exitCodes, messageOf, reasonOf } from '../model/errors.ts'
import { locateCommands } from '../report/text/commands.ts'
import { commandLine } from './command-line.ts'
import { readFormerNames } from './former-names.ts'
import { asksForAll, suggestOption } from './help.ts'
import { locatingOf, usualConfiguration } from './query-options.ts'

/** Runs one command line and returns its exit code. Expected errors are printed here as sentences. */
export async function runCommand(args: readonly string[], terminal: ProcessContext): Promise<number> {
  const outputs = watchOutputs(terminal)
  const exitCode = await exitCodeOf(args, terminal)
  const isInterrupted = exitCode >= 128
  return (await outputs.delivered()) || isInterrupted ? exitCode : exitCodes.failure
}

interface Outputs {
  /** Waits until the streams have taken everything; false when output was lost. */
  delivered(): Promise<boolean>
}

/**
 * Notes output that stdout and stderr could not write, so that a lost report fails the command; the work itself goes
 * on. A reader that closes the pipe (`| head`) is not a failure.
 */
function watchOutputs({ stdout, stderr }: Pick<ProcessContext, 'stdout' | 'stderr'>): Outputs {
  const failed = new Set<Output>()
  const watch = (output: Output, onFailure: (error: Error) => void) => {
    output.on('error', (error) => {
      if (error.code === 'EPIPE' || failed.has(output)) return
      failed.add(output)
      onFailure(error)
    })
  }
  watch(stdout, (error) => {
    stderr.write(`hookdrift: cannot write to stdout: ${reasonOf(error)}\n  ${advice}\n`)
  })
  watch(stderr, () => {}) // nothing is left to print it to
  return {
    async delivered() {
      await flushed(stdout)
      await flushed(stderr)
      return failed.size === 0
    },
  }
}

const advice =
  'the output is missing or cut: make room, or write to a file; a committed run can be reported again with `hookdrift report`'

/** An empty write ends after all others; the stream reports an error one turn later. */
async function flushed(output: Output): Promise<void> {
  // Some devices refuse even an empty write, so it is only made where output waits.
  if ((output.writableLength ?? 0) > 0) {
    await new Promise<void>((resolve) => {
      output.write('', () => resolve())
    })
  }
  await new Promise((resolve) => setImmediate(resolve))
}

async function exitCodeOf(given: readonly string[], terminal: ProcessContext): Promise<number> {
  const { words: args, notice } = readFormerNames(given)
  if (notice !== undefined) printMessage(`hookdrift: ${notice}`, terminal)
  let exitCode: number = exitCodes.clean
  let context = terminal
  let config: string | undefined
  const program = await commandLine(terminal, args, async (run) => {
    exitCode = await run(context)
  })
  program.hook('preAction', (_, command) => {
    const source = command.getOptionValueSource('config')
    const { HOOKDRIFT_CONFIG: file = '' } = terminal.env
    const isByVariable = source === 'default' && file !== '' && command.getOptionValue('url') === undefined
    if (isByVariable) command.setOptionValueWithSource('config', file, 'env')
    // A file that was named is read, and nothing takes its place.
    const env = isByVariable || source === 'cli' ? withoutConfiguration(terminal.env) : terminal.env
    config = command.getOptionValue('config')
    const locating = locatingOf(command.opts(), file || usualConfiguration)
    const { color: colour, bom: marksCsv = false } = program.opts()
    context = { ...terminal, env, locating, colour, marksCsv }
    const { format, report = [] } = command.opts()
    if (marksCsv && format !== 'csv' && !report.some((file: string) => file.startsWith('csv='))) {
      throw AuditError.usage('--bom is for --format csv and --report csv=FILE')
    }
  })
  try {
    await program.parseAsync(asksForAll(args) ? args.slice(0, -1) : [...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'commander.excessArguments') terminal.stderr.write(suggestOption(program, args))
      return error.exitCode === 0 ? exitCodes.clean : exitCodes.usage
    }
    exitCode = printError(error, context)
  }
  if (exitCode === exitCodes.incomplete && config !== undefined) {
    const { adviseServing } = await import('./demo-directory.ts')
    adviseServing(config, context)
  }
  return exitCode
}

function printError(error: unknown, terminal: ProcessContext): number {
  if (!(error instanceof AuditError)) {
    terminal.stderr.write(`hookdrift: this is a bug: ${error instanceof Error ? error.stack : messageOf(error)}\n`)
    return exitCodes.failure
  }
  // A message may quote text of others, which must not control the terminal.
  printMessage(`hookdrift: ${error.message}`, terminal)
  if (error.advice !== undefined) printMessage(`  ${locateCommands(error.advice, terminal.locating ?? {})}`, terminal)
  return error.exitCode
}
