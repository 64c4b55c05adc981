import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SimulatedFleet } from '../../src/demo/fleet.ts'
import { checkOutputs } from '../documents.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
/** What was compiled for one process serves the next ones: half of a short command is its start. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/hookdrift')

/** What a person types behind `hookdrift`, or its words where one of them is a text of its own. */
export type CommandLine = string | readonly string[]

/** Words as a shell makes them, of what our pages and tests use: blanks part them, except in quotes. */
export function wordsOf(line: CommandLine): readonly string[] {
  if (typeof line !== 'string') return line
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  )
}

export interface Ended {
  /** null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

interface ProgramOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /** After this time, it is killed. Default: two minutes. */
  readonly lifetimeMs?: number
}

/** Starts a program and gathers what it says: its documents follow their schemas. Its environment is what is given here, and a way to find programs. */
export function startProgram(
  command: string,
  args: readonly string[],
  { cwd, env = {}, lifetimeMs = 120_000 }: ProgramOptions,
): Running {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(command, [...args], {
    cwd,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Nothing outlives the test that started it.
    timeout: lifetimeMs,
    killSignal: 'SIGKILL',
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text
    })
    child.on('error', reject)
    child.on('close', (code, signal) => {
      try {
        // A signal may have cut it short.
        if (signal === null) checkOutputs(stdout, args, cwd)
        resolve({ code, signal, stdout, stderr })
      } catch (error) {
        reject(error)
      }
    })
  })
  return { child, ended }
}

/** The command line as a person starts it in a checkout, as a process of its own. */
export function startHookdrift(line: CommandLine, options: Parameters<typeof startProgram>[2]): Running {
  const env = { NODE_COMPILE_CACHE: compiled, ...options.env }
  return startProgram(process.execPath, [main, ...wordsOf(line)], { ...options, env })
}

/** A directory that goes away with its user. */
export function openDirectory() {
  const path = mkdtempSync(join(tmpdir(), 'hookdrift-cli-'))
  return {
    path,
    file: (name: string) => join(path, name),
    write: (name: string, text: string) => {
      writeFileSync(join(path, name), text)
      return join(path, name)
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** `hookdrift.yaml` for all projects of a simulated service; the key comes from `ACME_KEY`. */
export function configurationFor(url: string, fleet: SimulatedFleet, more = ''): string {
  const projects = fleet.projects().map(({ uid, name }) => `      - { id: ${uid}, name: ${name} }\n`)
  return `${more}services:
  - name: acme
    url: ${url}
    key: \${ACME_KEY}
    page_size: 4
    limits: { retries: 1, retry_budget: 2s }
    projects:
${projects.join('')}`
}
