import { PassThrough } from 'node:stream'
import { commandLine } from '../../src/cli/run-command.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

/** What the program's own command line says of these arguments: nothing when it would run them, else its complaint. */
export async function complaintOf(args: readonly string[]): Promise<string> {
  const heard: string[] = []
  const stream = new PassThrough().on('data', (chunk: Buffer) => heard.push(chunk.toString()))
  // As much of a terminal's stream as the command line uses.
  const output = stream as unknown as NodeJS.WriteStream
  const terminal: Terminal = { stdout: output, stderr: output, env: {}, cwd: () => '/' }
  let wouldRun = false
  try {
    await commandLine(terminal, async () => {
      wouldRun = true
    }).parseAsync(args, { from: 'user' })
  } catch (error) {
    return `${heard.join('')}${error}`
  }
  return wouldRun ? '' : 'it runs nothing'
}

/** The `hookdrift …` lines of a page's console, shell and YAML blocks, as words; a comment behind one is left out. */
export function commandsIn(page: string): readonly (readonly string[])[] {
  const blocks = [...page.matchAll(/```(?:console|yaml|sh|ini)\n(.*?)```/gs)].map(([, block = '']) => block)
  const lines = blocks.flatMap((block) => block.replace(/\\\n\s*/g, '').split('\n'))
  return lines.flatMap((line) => {
    // The last one: `docker exec hookdrift hookdrift status`.
    const [, rest] = /^(?:.*\s)?hookdrift( [a-z].*)$/.exec(line.replace(/\s+#.*$/, '')) ?? []
    return rest === undefined ? [] : [wordsIn(rest)]
  })
}

/** Words as a shell would make them, of what our pages use: quotes and blanks. */
function wordsIn(line: string): readonly string[] {
  const cut = line.replace(/ (?:[<>|&]|\d>).*$/, '')
  return [...cut.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}
