import { PassThrough } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { commandLine } from '../../src/cli/command-line.ts'
import { asksForAll } from '../../src/cli/help.ts'
import { wordsOf } from '../cli/start-process.ts'

const idle: ProcessContext = {
  // The command line writes only when something is parsed.
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  cwd: () => '/',
}

/** Options of any command, and npm's. */
export const knownOptions: ReadonlySet<string> = new Set([
  '--help',
  '--version',
  ...optionsOf(await commandLine(idle, 'all', async () => {})),
])

function optionsOf(command: Command): string[] {
  const own = command.options.flatMap(({ short, long }) => [short, long].filter((flag) => typeof flag === 'string'))
  return [...own, ...command.commands.flatMap(optionsOf)]
}

/** What the program's own command line says of these arguments: nothing when it would run them, else its complaint. */
export async function complaintOf(args: readonly string[]): Promise<string> {
  const heard: string[] = []
  const stream = new PassThrough().on('data', (chunk) => heard.push(chunk.toString()))
  // As much of a terminal's stream as the command line uses.
  const output = stream as unknown as NodeJS.WriteStream
  const terminal: ProcessContext = { stdout: output, stderr: output, env: {}, cwd: () => '/' }
  let wouldRun = false
  try {
    const program = await commandLine(terminal, args, async () => {
      wouldRun = true
    })
    await program.parseAsync(asksForAll(args) ? args.slice(0, -1) : args, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return ''
    return `${heard.join('')}${error}`
  }
  return wouldRun ? '' : 'it runs nothing'
}

/** The `hookdrift …` lines of a page's console, shell and YAML blocks, as words; a comment behind one is left out. */
export function commandsIn(page: string): readonly (readonly string[])[] {
  const blocks = [...page.matchAll(/^ *```(console|yaml|sh|ini|groovy)?\n(.*?)^ *```/gms)]
  const lines = blocks.flatMap(([, language = 'console', block = '']) => {
    const written = block.replace(/\\\n\s*/g, '').split('\n')
    return language === 'console' ? written.filter((line) => line.trimStart().startsWith('$ ')) : written
  })
  return lines.flatMap((line) => {
    // The last one: `docker exec hookdrift hookdrift status`.
    const [, rest] = /^(?:.*\s)?hookdrift( [a-z].*)$/.exec(line.replace(/\s+#.*$/, '')) ?? []
    return rest === undefined ? [] : [wordsIn(rest)]
  })
}

/** The words of a command on a page, up to a pipe or a redirection; `[…]` may be left out. */
export function wordsIn(line: string): readonly string[] {
  return wordsOf(line.replace(/;.*$| (?:[<>|&]|\d>).*$/, '').replace(/\[|\]/g, ''))
}
