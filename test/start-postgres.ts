import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Who runs the server where the tests run as root, which PostgreSQL refuses to. Debian's package makes this user. */
const serverUser = 'postgres'

interface ClusterOptions {
  /** How `initdb` lets users in. */
  readonly auth?: string
  /** Further ones, such as `port=5432`. Without `listen_addresses`, the server has a socket only. */
  readonly settings?: readonly string[]
  /** A standby of this server, which must run: it follows it until it is promoted. */
  readonly follows?: Cluster
  /** Called with the data directory, before the server starts. */
  readonly prepare?: (data: string, as: Identity['ids']) => void
}

/** A PostgreSQL server of its own; its programs are installed. */
export interface Cluster {
  /** Of the socket. */
  readonly directory: string
  readonly data: string
  /** The superuser. */
  readonly user: string
  /** Of the server's first process, which starts all others. */
  pid(): Promise<number | undefined>
  /**
   * Sessions that are left over are ended; as a crash does it where `crashes` is set. Starting again is for tests of a
   * server that was away.
   */
  stop(crashes?: boolean): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

/** Makes a server, in memory where possible, which starts at once; undefined where no PostgreSQL is installed. */
export function makeCluster(options: ClusterOptions = {}): Cluster | undefined {
  const programs = findPrograms()
  if (programs === undefined) return undefined
  const directory = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'hookdrift-postgres-'))
  const as = runAs(directory)
  const data = join(directory, 'data')
  let server: Promise<ChildProcess> = initialise().then(() => run())
  // Reported by the first test that connects.
  server.catch(() => {})
  const stop = async (crashes = false) => {
    const started = await server
    const ended = new Promise((resolve) => started.once('exit', resolve))
    if (started.exitCode !== null || !started.kill(crashes ? 'SIGQUIT' : 'SIGINT')) return
    await ended
  }
  return {
    directory,
    data,
    user: as.name,
    stop,
    pid: async () => (await server).pid,
    async start() {
      server = Promise.resolve(run())
    },
    async remove() {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }

  async function initialise(): Promise<void> {
    const access = [`--auth=${options.auth ?? 'trust'}`, `--username=${as.name}`]
    const flags = ['--no-sync', ...access, '--encoding=UTF8', '--locale=C.UTF-8', '-D', data]
    const { follows } = options
    const source = ['-h', follows?.directory ?? '', '-U', as.name, '-D', data, '-R', '-X', 'stream', '-c', 'fast']
    await (follows === undefined ? execute('initdb', flags) : execute('pg_basebackup', [...source, '--no-sync']))
    options.prepare?.(data, as.ids)
  }

  async function execute(program: string, flags: readonly string[]): Promise<void> {
    const made = spawn(join(programs ?? '', program), flags, { ...as.ids, stdio: 'ignore' })
    const code = await new Promise((resolve) => made.once('exit', resolve))
    if (code !== 0) throw new Error(`${program} ended with ${code}`)
  }

  function run(): ChildProcess {
    const flags = [...settings, ...(options.settings ?? [])].flatMap((setting) => ['-c', setting])
    return spawn(join(programs ?? '', 'postgres'), ['-D', data, '-k', directory, ...flags], {
      ...as.ids,
      stdio: 'ignore',
    })
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
  'listen_addresses=',
]
