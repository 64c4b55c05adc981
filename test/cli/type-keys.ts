import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type CommandLine, wordsOf } from './start-process.ts'

const program = join(import.meta.dirname, '../../src/cli/main.ts')
const typist = join(import.meta.dirname, '../init/type-keys.py')

interface Typing {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What to wait for, and what to type then. */
  readonly steps: readonly (readonly [question: string, keys: string])[]
}

/** Runs a command line in a pseudo-terminal, and types an answer to each question. */
export async function typeKeys(line: CommandLine, { cwd, env, steps }: Typing) {
  const { PATH = '', HOME = '' } = process.env
  const task = {
    argv: [process.execPath, program, ...wordsOf(line)],
    cwd,
    steps,
    env: { PATH, HOME, TERM: 'xterm', ...env },
  }
  const child = spawn('python3', [typist], { stdio: ['pipe', 'pipe', 'inherit'], timeout: 110_000 })
  child.stdin.end(JSON.stringify(task))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (some) => {
    text += some
  })
  await new Promise((resolve) => child.on('close', resolve))
  const said: { code: number; output: string; missed: string | null } = JSON.parse(text)
  return said
}
