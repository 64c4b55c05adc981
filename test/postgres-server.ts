import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a server on which tests make databases; undefined where no PostgreSQL is installed. */
    readonly postgres: string | undefined
  }
}

/** Who runs the server where the tests run as root, which PostgreSQL refuses to. Debian's package makes this user. */
const serverUser = 'postgres'

/**
 * Starts one PostgreSQL server for all tests, on a socket, in memory where possible. `HOOKDRIFT_TEST_POSTGRES` names
 * another one. The tests begin at once, and those that need it wait until it is ready.
 */
export function setup(project: TestProject): (() => Promise<void>) | undefined {
  const given = process.env.HOOKDRIFT_TEST_POSTGRES
  const programs = given === undefined ? findPrograms() : undefined
  if (programs === undefined) {
    if (given === undefined && process.env.CI !== undefined)
      throw new Error('PostgreSQL is not installed: apt-get install postgresql')
    project.provide('postgres', given)
    return undefined
  }
  const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hookdrift-postgres-'))
  const as = runAs(directory)
  project.provide('postgres', `postgres://${as.name}@localhost/postgres?host=${encodeURIComponent(directory)}`)
  const server = startIn(directory, programs, as)
  return async () => {
    const started = await server
    const ended = new Promise((resolve) => started.once('exit', resolve))
    // Fast shutdown: sessions that are left over are ended.
    started.kill('SIGINT')
    await ended
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The directory of the newest server's programs. */
function findPrograms(): string | undefined {
  const all = globSync('/usr/lib/postgresql/*/bin/initdb').sort((a, b) => versionOf(a) - versionOf(b))
  return all.at(-1)?.replace(/\/initdb$/, '')
}

function versionOf(path: string): number {
  return Number(/postgresql\/(\d+)/.exec(path)?.[1])
}

interface Identity {
  readonly name: string
  readonly ids: { readonly uid?: number; readonly gid?: number }
}

function runAs(directory: string): Identity {
  if (process.getuid?.() !== 0) return { name: 'tests', ids: {} }
  const idOf = (flag: string) => Number(spawnSync('id', [flag, serverUser], { encoding: 'utf8' }).stdout)
  const ids = { uid: idOf('-u'), gid: idOf('-g') }
  chownSync(directory, ids.uid, ids.gid)
  return { name: 'tests', ids }
}

/** Durability is not under test, and costs most of the time. */
const settings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'max_connections=200',
  'shared_buffers=64MB',
]

async function startIn(directory: string, programs: string, { name, ids }: Identity): Promise<ChildProcess> {
  const data = join(directory, 'data')
  const options = ['--no-sync', '--auth=trust', `--username=${name}`, '--encoding=UTF8', '--locale=C.UTF-8', '-D', data]
  const made = spawn(join(programs, 'initdb'), options, { ...ids, stdio: 'ignore' })
  const code = await new Promise((resolve) => made.once('exit', resolve))
  if (code !== 0) throw new Error(`initdb ended with ${code}`)
  const flags = settings.flatMap((setting) => ['-c', setting])
  return spawn(join(programs, 'postgres'), ['-D', data, '-k', directory, '-c', 'listen_addresses=', ...flags], {
    ...ids,
    stdio: 'ignore',
  })
}
