import { PassThrough } from 'node:stream'
import type { ProcessContext } from '../../src/app/process-context.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { checkOutputs } from '../documents.ts'
import { type CommandLine, wordsOf } from './start-process.ts'

export interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Json = ReturnType<typeof JSON.parse>

/** What a command answers as JSON: its lists, and other members. */
export interface Answer {
  readonly [member: string]: Json
  readonly rows: Json[]
  readonly violations: Json[]
  readonly drift: Json[]
  readonly coverage: Json[]
  readonly notices: Json[]
  readonly causes: Json[]
  readonly controls: Json[]
  readonly resources: Json[]
  readonly ends: Json[]
  readonly weeks: Json[]
  readonly left_to_you: Json[]
}

export interface TerminalOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether stdout is a terminal, with so many columns. */
  readonly columns?: number
  /** Called with what is written to stderr. */
  readonly onStderr?: (text: string) => void
}

/** Runs a command line in this process, on a terminal that only remembers. Its documents follow their schemas. */
export async function command(line: CommandLine, { cwd, env = {}, columns, onStderr }: TerminalOptions): Promise<Said> {
  const args = wordsOf(line)
  const stdout = aStream(columns)
  const stderr = aStream(columns)
  stderr.stream.on('data', (chunk) => onStderr?.(chunk.toString()))
  const terminal: ProcessContext = { stdout: stdout.stream, stderr: stderr.stream, env, cwd: () => cwd }
  const code = await runCommand(args, terminal)
  checkOutputs(stdout.text(), args, cwd)
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function aStream(columns: number | undefined) {
  const chunks: string[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk) => chunks.push(chunk.toString()))
  const watched = columns === undefined ? {} : { isTTY: true, columns }
  // As much of a terminal's stream as commands use.
  return { stream: Object.assign(stream, watched) as unknown as NodeJS.WriteStream, text: () => chunks.join('') }
}
