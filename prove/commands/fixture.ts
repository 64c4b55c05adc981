import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateFleet } from '../../src/demo/generate-fleet.ts'
import { createRandom } from '../../src/demo/random.ts'
import { startSimulatedService } from '../../src/demo/simulated-service.ts'
import { command } from '../../test/cli/run-in-process.ts'
import { configurationFor, type Running, startHookdrift } from '../../test/cli/start-process.ts'
import { openReceiver } from '../../test/notify/webhook-receiver.ts'
import { editAtRandom } from '../../test/oracle/random-edits.ts'
import type { openDatabases, ProvingDatabase } from '../../test/pool/open-databases.ts'

export type Backend = 'file' | 'database'

/** A history of its own, with a directory in which commands run. */
export interface Place {
  readonly directory: string
  /** A file, or the URL of a database. */
  readonly address: string
  /** Runs a command in this process. */
  say(args: readonly string[], more?: Readonly<Record<string, string>>): ReturnType<typeof command>
  /** Starts it as a process of its own. */
  start(args: readonly string[], more?: Readonly<Record<string, string>>): Running
  /** What the receiver of this place got: ids and bodies of messages, the first one first. */
  received(): readonly { readonly id: string; readonly body: string }[]
  remove(): Promise<void>
}

/** What a key file contains. */
export const sealKey = Buffer.alloc(32, 'not-a-real-key').toString('hex')

const hook = `notify:
  - { name: hook, type: webhook, url: "\${HOOK_URL}", secret: "\${HOOK_SECRET}", min_severity: info }
`
/** The last ones find nothing new, so some of them can be pruned. */
const runsBefore = 5

/**
 * Copies of a history of some runs, of which no receiver took the messages, and a service that has changed since.
 * `databases`: where those in PostgreSQL are made.
 */
export async function openCommands(
  seed: string,
  databases?: Awaited<ReturnType<typeof openDatabases>>,
  root = mkdtempSync(join(tmpdir(), 'hookdrift-commands-')),
) {
  const fleet = generateFleet({ clean: false, projects: 2, endpointsPerProject: 6, seed })
  const random = createRandom(seed)
  const service = await startSimulatedService(fleet, { keepsRequests: false })
  const receiver = await openReceiver(() => ({ status: 503 }))
  let made = 0

  function placeOf(address: string, directory: string, database?: ProvingDatabase): Place {
    made += 1
    const path = `/${made}`
    const env = {
      ACME_KEY: fleet.personalKey,
      HOOKDRIFT_HISTORY: address,
      HOOKDRIFT_SEAL_KEY: `hex:${sealKey}`,
      HOOKDRIFT_LOG: 'silent',
      HOOK_URL: `${receiver.url}${path}`,
      HOOK_SECRET: `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`,
    }
    const file = join(directory, 'hookdrift.yaml')
    writeFileSync(file, configurationFor(service.url, fleet, hook))
    // A process of many commands does not change its directory.
    const configured = (args: readonly string[]) => (args[0] === 'history' ? args : [...args, '--config', file])
    return {
      directory,
      address,
      say: (args, more = {}) => command(configured(args), { cwd: directory, env: Object.assign({}, env, more) }),
      start: (args, more = {}) =>
        startHookdrift(configured(args), { cwd: directory, env: Object.assign({}, env, more) }),
      received: () =>
        receiver.got
          .filter((got) => got.path === path)
          .map(({ headers, body }) => ({ id: String(headers['webhook-id']), body })),
      async remove() {
        rmSync(directory, { recursive: true, force: true })
        await database?.remove()
      },
    }
  }

  const newDirectory = () => mkdtempSync(join(root, 'place-'))
  const directory = newDirectory()
  const original = {
    file: placeOf(join(directory, 'hookdrift.db'), directory),
    database: databases && (await databases.make()),
  }
  const originals = [
    original.file,
    ...(original.database === undefined ? [] : [placeOf(original.database.url, newDirectory())]),
  ]
  const edit = () => {
    for (let edits = 0; edits < 12; edits++) editAtRandom(fleet, random)
  }
  for (let run = 1; run <= runsBefore; run++) {
    for (const place of originals) {
      const { code, stderr } = await place.say(['audit', '--quiet'])
      if (code > 1) throw new Error(`an undisturbed audit ended with ${code}: ${stderr}`)
    }
    if (run === 1 || run === runsBefore) edit()
  }
  receiver.answers(() => ({ status: 204 }))

  return {
    fleet,
    service,
    random,
    async copy(backend: Backend): Promise<Place> {
      const directory = newDirectory()
      if (backend === 'file') {
        cpSync(original.file.directory, directory, { recursive: true })
        return placeOf(join(directory, 'hookdrift.db'), directory)
      }
      if (databases === undefined || original.database === undefined) throw new Error('there are no databases')
      const database = await databases.make({ like: original.database })
      return placeOf(database.url, directory, database)
    },
    /** A place without a history. */
    async empty(backend: Backend): Promise<Place> {
      const directory = newDirectory()
      if (backend === 'file') return placeOf(join(directory, 'hookdrift.db'), directory)
      if (databases === undefined) throw new Error('there are no databases')
      const database = await databases.make({ empty: true })
      return placeOf(database.url, directory, database)
    },
    async [Symbol.asyncDispose]() {
      await service.close()
      await receiver[Symbol.asyncDispose]()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** What a history answers. Times and numbers of runs are left out: they differ where a run was interrupted. */
export interface Answers {
  /** Numbers of the committed runs. */
  readonly runs: readonly number[]
  readonly rows: string
}

export async function answersOf({ say }: Pick<Place, 'say'>): Promise<Answers> {
  const [runs, ...others] = await Promise.all(questions.map(async (args) => rowsIn(await say(args), args)))
  const committed = (runs ?? []).flatMap(({ number, state }) => (state === 'committed' ? [Number(number)] : []))
  return { runs: committed.sort((a, b) => a - b), rows: JSON.stringify(others.map(withoutTimes)) }
}

/** What a history is asked. */
export const questions = [
  ['runs', '--format', 'json', '--limit', 'all'],
  ['state', '--format', 'json', '--limit', 'all'],
  ['violations', '--format', 'json', '--limit', 'all'],
] as const

/** What a command said, in this process or in another one. */
interface Said extends Omit<Awaited<ReturnType<typeof command>>, 'code'> {
  readonly code: number | null
}

/** The same of one question. @throws Error where there is no answer */
export function answerIn(said: Said, args: readonly string[]): string {
  return JSON.stringify(withoutTimes(rowsIn(said, args)))
}

function rowsIn({ code, stdout, stderr }: Said, args: readonly string[]): readonly Readonly<Record<string, unknown>>[] {
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout).rows
}

function withoutTimes(rows: readonly Readonly<Record<string, unknown>>[]): readonly object[] {
  const isKept = ([name]: [string, unknown]) => !/^(?:state|.*_seen|.*_at|.*run|since|age.*|between)$/.test(name)
  const kept = rows.map((row) => Object.fromEntries(Object.entries(row).filter(isKept)))
  // What a run opened comes first.
  return kept.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
