import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { walkLinks } from '../../test/pages/walk-links.ts'

const main = join(import.meta.dirname, '../../src/cli/main.ts')
const formats = ['text', 'json', 'sarif', 'junit', 'markdown', 'csv', 'html', 'ocsf', 'jsonl']

/** What one command wrote to its descriptors. */
export interface Said {
  readonly command: string
  readonly text: Buffer
}

/** Runs commands as a person does, in one directory, and keeps what they say. */
export function openDriver(directory: string, env: Readonly<Record<string, string>>) {
  const said: Said[] = []
  const { PATH = '', HOME = '' } = process.env
  const start = (args: readonly string[]) =>
    spawn(process.execPath, [main, ...args], {
      cwd: directory,
      env: { PATH, HOME, HOOKDRIFT_LOG: 'trace', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  const runWith = async (input: string, args: readonly string[]): Promise<string> => {
    // The service answers from this very process, so it must not wait for the child in one go.
    const child = start(args)
    child.stdin.end(input)
    const [stdout, stderr, status] = await Promise.all([
      gather(child.stdout),
      gather(child.stderr),
      new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
    ])
    if (status === null || status === 2 || status === 4) {
      throw new Error(
        `\`${args.join(' ')}\` exits with ${status}: ${Buffer.concat([stdout, stderr]).toString().slice(-2000)}`,
      )
    }
    said.push({ command: args.join(' '), text: Buffer.concat([stdout, stderr]) })
    return stdout.toString()
  }
  return {
    said,
    run: (...args: string[]) => runWith('', args),
    /** Asks as an assistant does; an answer to each request. */
    async ask(requests: readonly object[]): Promise<readonly string[]> {
      const lines = requests.map((request) => `${JSON.stringify(request)}\n`)
      return (await runWith(lines.join(''), ['mcp'])).trimEnd().split('\n')
    },
    /** Reads the pages: those that are the fewest links from the first one, `most` of them. */
    async readPages(most: number): Promise<void> {
      const child = start(['serve', '--listen', '127.0.0.1:0'])
      const stderr = gather(child.stderr)
      const stdout: Buffer[] = []
      const url = await new Promise<string>((resolve, reject) => {
        child.on('error', reject).on('close', () => reject(new Error('`serve` ended')))
        child.stdout.on('data', (chunk: Buffer) => {
          stdout.push(chunk)
          const [address] = /http:\/\/127\.0\.0\.1:\d{1,5}/.exec(Buffer.concat(stdout).toString()) ?? []
          if (address !== undefined) resolve(address)
        })
      })
      let left = most
      const get = async (path: string) => (left-- > 0 ? fetch(`${url}${path}`) : new Response('', { status: 404 }))
      const pages = await walkLinks({ get }, ['/'])
      const failed = pages.find(({ status }) => status >= 500)
      if (failed !== undefined) throw new Error(`${failed.path} is a ${failed.status}`)
      for (const { path, text } of pages.slice(0, most)) said.push({ command: `GET ${path}`, text: Buffer.from(text) })
      child.kill()
      said.push({ command: 'serve', text: Buffer.concat([...stdout, await stderr]) })
    },
    /** An audit with a report of every format. A reader keeps the log next to the database. */
    async audit(name: string): Promise<void> {
      mkdirSync(join(directory, name), { recursive: true })
      const history = join(directory, 'hookdrift.db')
      const reader = statSync(history, { throwIfNoEntry: false }) === undefined ? undefined : new Database(history)
      reader?.exec('BEGIN; SELECT count(*) FROM run')
      const args = formats.flatMap((format) => ['--report', `${format}=${name}/report.${format}`])
      await runWith('', ['audit', '--quiet', ...args])
      for (const file of ['hookdrift.db', 'hookdrift.db-wal']) {
        if (statSync(join(directory, file), { throwIfNoEntry: false }) === undefined) continue
        writeFileSync(join(directory, name, `copy of ${file}`), readFileSync(join(directory, file)))
      }
      reader?.close()
    },
    /** Every file of the directory but those that were given. */
    files(given: readonly string[]): { readonly name: string; readonly bytes: Buffer }[] {
      return readdirSync(directory, { recursive: true, encoding: 'utf8' })
        .filter((name) => !given.includes(name) && statSync(join(directory, name)).isFile())
        .map((name) => ({ name, bytes: readFileSync(join(directory, name)) }))
    },
  }
}

async function gather(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
