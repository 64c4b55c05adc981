import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
const shownPorts = ['8080', '8081'] as const
const end = 'end-of-the-answer'

/** One command of a page, as it is written there, with the lines that the page shows below it. */
export interface Step {
  readonly command: string
  readonly shown: readonly string[]
}

interface Block {
  readonly text: string
  readonly steps: readonly Step[]
  /** A block of YAML that begins with `# NAME.yaml` is that file. */
  readonly file?: { readonly name: string; readonly text: string }
}

/** By the place of the step on its page. */
export type Answers = ReadonlyMap<number, readonly string[]>

/** The console blocks of a page and the files between them, in order. */
export function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(console|yaml)\n(.*?)^```$/gms)].flatMap(([, language, text = '']) => {
    if (language === 'console') return [{ text, steps: stepsOf(text) }]
    const name = /^# (\S+\.yaml)\n/.exec(text)?.[1]
    return name === undefined ? [] : [{ text, steps: [], file: { name, text } }]
  })
}

function stepsOf(block: string) {
  return block
    .split(/^(?=\$ )/m)
    .filter((part) => part.startsWith('$ '))
    .map((part) => {
      const [, command = '', shown = ''] = /^\$ ((?:[^\n]*\\\n)*[^\n]*)\n([\s\S]*)$/.exec(part) ?? []
      return { command, shown: shown.split('\n').slice(0, -1) }
    })
}

/**
 * Runs the blocks of a page in one shell, in an empty directory, with the checkout's `hookdrift` first on the path, after
 * those of `before`: the part of another page that it asks for. Ports 8080 and 8081 are replaced by free ones, and an
 * expiry date by one in three months.
 */
export async function runPage(page: string, before = ''): Promise<Answers> {
  const directory = mkdtempSync(join(tmpdir(), 'hookdrift-page-'))
  const bin = mkdtempSync(join(tmpdir(), 'hookdrift-bin-'))
  writeFileSync(join(bin, 'hookdrift'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 })
  const ports = await Promise.all(shownPorts.map(async (shown) => ({ shown, free: await freePort() })))
  const withFree = (text: string) => ports.reduce((given, { shown, free }) => given.replaceAll(shown, free), text)
  const withShown = (text: string) =>
    ports
      .reduce((given, { shown, free }) => given.replaceAll(free, shown), text)
      .replaceAll(`account ${userInfo().username} on host ${hostname()}`, 'account auditor on host host-1')
  const shell = openShell(directory, {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: directory,
    LANG: 'C.UTF-8',
    USER: 'lee',
  })
  const [shownExpiry = inThreeMonths()] = page.match(expiry) ?? []
  const withShownExpiry = (text: string) => text.replaceAll(inThreeMonths(), shownExpiry)
  const answers = new Map<number, readonly string[]>()
  try {
    for (const { steps, file, isOfPage } of [
      ...blocksOf(before).map((block) => ({ ...block, isOfPage: false })),
      ...blocksOf(page).map((block) => ({ ...block, isOfPage: true })),
    ]) {
      if (file !== undefined) {
        const [here = directory] = await shell.run('pwd')
        writeFileSync(join(here, file.name), withFree(current(file.text)))
      }
      for (const step of steps) {
        const lines = await shell.run(withFree(step.command))
        if (!isOfPage) continue
        answers.set(
          answers.size,
          lines.map((line) => withShownExpiry(withShown(line)).replaceAll(directory, '.')),
        )
      }
    }
    return answers
  } finally {
    shell.close()
    for (const path of [directory, bin]) rmSync(path, { recursive: true, force: true })
  }
}

const expiry = /(?<=expires: )\d{4}-\d\d-\d\d/g

function current(file: string) {
  return file.replace(expiry, inThreeMonths())
}

function inThreeMonths() {
  return new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // as: it listens on a port, not on a pipe
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

function openShell(cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn('bash', ['--norc', '--noprofile'], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.stdin.write('exec 2>&1\n')
  return {
    async run(command: string) {
      child.stdin.write(`${command}\necho ${end}\n`)
      const answer: string[] = []
      for (;;) {
        const { value, done } = await lines.next()
        if (done === true) throw new Error(`the shell ended at: ${command}\n${answer.join('\n')}`)
        if (value === end) return answer
        answer.push(value)
      }
    },
    /** With all that it started. */
    close() {
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    },
  }
}

/** Without what differs from run to run, and without what is filled up with blanks around that. */
export function bare(line: string): string {
  return line
    .replace(/\d{4}-\d\d-\d\d(?:[ T][\d:.]+( UTC|Z)?)?/g, 'TIME')
    .replace(/\b\d+ (?:m?s|min|h)\b/g, 'AGE')
    .replace(/\bjust now\b/g, 'AGE')
    .replace(/\b\d+(?:\.\d)? [KMGT]B\b/g, 'SIZE')
    .replace(/\b[0-9a-f]{8,64}…?/g, 'DIGEST')
    .replace(/\b127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replace(/[ ─-]+/g, ' ')
    .trim()
}

/** Whether the page shows the answer; `…` matches omitted lines. */
export function showsAnswer({ shown }: Step, answered: readonly string[]): boolean {
  const lines = answered.map(bare).filter((line) => line !== '')
  const wanted = shown.map(bare).filter((line) => line !== '')
  if (!wanted.includes('…')) return JSON.stringify(wanted) === JSON.stringify(lines)
  const known = new Set(lines)
  return wanted.every((line) => line === '…' || known.has(line))
}

/**
 * The page with what was answered in place of what it shows; a block with `…` is for a person to correct. Where one
 * answer is another one, all are rewritten, so that a page has one clock.
 */
export function withAnswers(page: string, answers: Answers): string {
  const all = blocksOf(page).flatMap(({ steps }) => steps)
  if (all.every((step, index) => showsAnswer(step, answers.get(index) ?? []))) return page
  let next = page
  let place = 0
  for (const { text, steps } of blocksOf(page)) {
    const rewritten = steps.map((step) => {
      const answered = answers.get(place++) ?? []
      return [`$ ${step.command}`, ...(step.shown.includes('…') ? step.shown : answered), ''].join('\n')
    })
    if (steps.length > 0) next = next.replace(text, () => rewritten.join(''))
  }
  return next
}
