import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export interface Cost {
  readonly wallMs: number
  /** User and system time of the process and all processes that it waited for. */
  readonly cpuMs: number
}

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  readonly input?: string
  /** Added to this process's own. */
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a command to its end. Throws, with what it said, when it fails: a benchmark of failures would be fast. */
export async function measure({ command, args, input = '', env = {} }: Command): Promise<Cost> {
  // The shell's own `time`: Node does not report what its children cost.
  const script = 'exec 3>&2; TIMEFORMAT="%R %U %S"; time "$@" > /dev/null 2>&3'
  const child = spawn('bash', ['-c', script, 'bash', command, ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  child.stdin.end(input)
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${said}`)
  const [wall = 0, user = 0, system = 0] = (said.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = 0, high = low] = sorted.length % 2 === 1 ? [sorted[middle]] : sorted.slice(middle - 1, middle + 1)
  return (low + high) / 2
}
