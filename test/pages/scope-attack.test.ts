import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readViolationsAt } from '../../src/history/sql/violations.ts'
import { historyTables } from '../../src/history/table-rows.ts'
import { views } from '../../src/history/views.ts'
import { pages } from '../../src/pages/site.ts'
import { hasPostgres, makeDatabase, type TestDatabase } from '../history/postgres/databases.ts'
import { connectTo } from './mcp-client.ts'
import { canary, lastRun, openSecludedSite, type SecludedSite } from './secluded-site.ts'
import { walkLinks } from './walk-links.ts'

// Readers of some projects get the answers that they would get if there were no others. So each address is asked of two
// histories: of one with two projects more, and of one in which these never were.

/** What readers may know of the secluded projects, by the parameter that it fits. */
type Guesses = Readonly<Record<string, readonly string[]>>

interface Attack {
  readonly secluded: SecludedSite
  readonly without: SecludedSite
  readonly guesses: Guesses
  /** Every address that readers of all projects find. */
  readonly walked: readonly string[]
}

async function openAttack(databases: readonly TestDatabase[]): Promise<Attack> {
  const [secluded, without] = [
    await openSecludedSite({ hasSecluded: true, database: databases[0] }),
    await openSecludedSite({ hasSecluded: false, database: databases[1] }),
  ]
  // Where answers count from the present, both count from the same.
  vi.useFakeTimers({ toFake: ['Date'], now: secluded.now() })
  const violations = await readViolationsAt(secluded.history, lastRun)
  const [{ fingerprint, rule } = { fingerprint: '', rule: '' }] = violations.filter(({ project }) =>
    project.includes(canary),
  )
  const projects = ['acme/canary-vault', 'acme/canary-*', '*merger']
  const uids = secluded.uids.slice(0, 2)
  const { service, uid } = secluded.vault
  const cursors = [`0.0.1.0.${fingerprint}`, `${new URLSearchParams({ service, project: uid, kind: 'endpoint', uid })}`]
  const get = async (path: string) => secluded.whole.request(`http://localhost${path}`, { headers })
  walk ??= walkLinks({ get }, ['/']).then((found) => found.map(({ path }) => path))
  return {
    secluded,
    without,
    guesses: {
      project: projects,
      a: projects,
      b: projects,
      uid: uids,
      fingerprint: [fingerprint],
      owner: ['canary-owner'],
      rule: [rule],
      after: cursors,
      before: cursors,
      service: [service],
    },
    walked: await walk,
  }
}

/** The same in every database. */
let walk: Promise<readonly string[]> | undefined

const headers = { host: 'localhost' }
const compared = ['content-type', 'cache-control', 'vary', 'location', 'content-disposition']

/** All of an answer but its tag, and digests of the chain and of the policy, from which nothing follows. */
async function answerOf({ scoped, digests }: SecludedSite, path: string) {
  const answer = await scoped.request(`http://localhost${path}`, { headers })
  const head = compared.map((name) => answer.headers.get(name))
  return [answer.status, ...head, withoutDigests(await answer.text(), digests)]
}

function withoutDigests(text: string, digests: readonly string[]) {
  return digests.reduce((all, digest) => all.replaceAll(digest, 'a digest'), text)
}

/** Asks for some addresses. Returns those whose answers are other ones, or name what the address does not. */
async function attack({ secluded, without }: Attack, paths: readonly string[]) {
  const hidden = [canary, ...secluded.uids]
  const found: string[] = []
  for (const path of new Set(paths)) {
    const [answer, expected] = [await answerOf(secluded, path), await answerOf(without, path)]
    if (JSON.stringify(answer) !== JSON.stringify(expected)) found.push(path)
    const isNamed = hidden.some((text) => decodeURIComponent(path).includes(text))
    if (!isNamed && hidden.some((text) => JSON.stringify(answer).includes(text))) found.push(`${path} names another`)
  }
  expect([...secluded.faults, ...without.faults]).toEqual([])
  return found
}

/** One address of each kind: of a page or a command with the same parameters. */
function oneOfEach(paths: readonly string[]) {
  const shapes = new Set<string>()
  return paths.filter((path) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost')
    const depth = pathname.startsWith('/api/') ? 4 : 2
    return shapes.size !== shapes.add([...pathname.split('/', depth), ...searchParams.keys()].join(' ')).size
  })
}

const runs = Array.from({ length: lastRun }, (_, index) => index + 1)

/** Rules are the same for all readers. */
function asOfRuns({ walked }: Attack) {
  const timeless = walked.filter((path) => !/[?&]run=|^\/rules\/|\.\w+$/.test(path))
  const chosen = [...timeless.filter((path) => !path.includes('?')), ...oneOfEach(timeless)]
  return chosen.flatMap((path) => runs.map((run) => `${path}${path.includes('?') ? '&' : '?'}run=${run}`))
}

/** Every page and command with every parameter. */
async function guessed({ guesses, secluded }: Attack) {
  const valuesOf = (name: string) => guesses[name] ?? [canary]
  const ofPages = pages.flatMap(({ path, parameters }) => {
    const paths = [0, 1, 2].map((at) =>
      path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(valuesOf(name)[at] ?? canary)),
    )
    const queries = parameters.flatMap((name) => valuesOf(name).map((value) => new URLSearchParams({ [name]: value })))
    return path.includes(':') ? paths : queries.map((query) => `${path}?${query}`)
  })
  const ofCommands = (await secluded.api.tools()).flatMap(({ name, input }) => {
    const { properties = {}, required = [] } = input as { properties?: object; required?: string[] }
    const usual = required.map((one) => [one, one.length === 1 ? 'acme/orders' : '1'] as const)
    const given = Object.keys(properties).flatMap((one) => valuesOf(one).map((value) => [one, value] as const))
    const queries = given.map((one) => new URLSearchParams([...new Map([...usual, one])]))
    return queries.flatMap((query) => [`/api/v1/${name}?${query}`, `/api/v1/${name}?${query}&format=csv`])
  })
  return [...ofPages, ...ofCommands]
}

/** What the tools for assistants answer, with every argument that is a text. */
async function askTools({ scoped, digests, api }: SecludedSite, guesses: Guesses) {
  await using client = await connectTo((request) => scoped.fetch(request))
  const answers: unknown[] = [await client.listTools()]
  for (const { name, input } of await api.tools()) {
    const { properties = {} } = input as { properties?: Readonly<Record<string, { type?: string }>> }
    for (const [argument, { type }] of Object.entries(properties)) {
      const values = type === 'string' || type === 'array' ? (guesses[argument] ?? [canary]) : []
      for (const value of values) {
        const given = { [argument]: type === 'array' ? [value] : value }
        const answer = await client.callTool({ name, arguments: given }).catch((error: unknown) => String(error))
        answers.push([name, given, answer])
      }
    }
  }
  return answers.map((answer) => withoutDigests(JSON.stringify(answer), digests))
}

describe.each([
  { place: 'a file', choose: (paths: readonly string[]) => paths, isThere: true, makes: [] },
  // Its views are others, and its server takes its time.
  { place: 'PostgreSQL', choose: oneOfEach, isThere: hasPostgres, makes: [makeDatabase, makeDatabase] },
])('readers of some projects of a history in $place', ({ choose, isThere, makes }) => {
  const databases: TestDatabase[] = []
  let made: Attack
  beforeAll(async () => {
    if (!isThere) return
    for (const make of makes) databases.push(await make())
    made = await openAttack(databases)
  }, 300_000)
  afterAll(async () => {
    vi.useRealTimers()
    for (const site of isThere ? [made.secluded, made.without] : []) await site[Symbol.asyncDispose]()
    for (const database of databases) await database.remove()
  })

  it.skipIf(!isThere).each([
    ['that readers of all projects find', async (attack: Attack) => attack.walked],
    ['as of each run', async (attack: Attack) => asOfRuns(attack)],
    ['by what could be known of the others', guessed],
  ])(
    'get the answers of a history without the others at every address %s',
    async (_, pathsOf) => {
      const paths = choose(await pathsOf(made))
      expect(paths.length).toBeGreaterThan(20)
      expect(await attack(made, paths)).toEqual([])
    },
    600_000,
  )

  it.skipIf(!isThere)('read no row that names the others', async () => {
    for (const table of [...historyTables.map(({ name }) => name), ...Object.keys(views)]) {
      const rows = made.secluded.scopedHistory.ask((session) => session.all(`SELECT * FROM hookdrift.${table}`))
      // A table that has no form for them has no rows.
      const text = JSON.stringify(await rows.catch(() => []))
      expect([table, [canary, ...made.secluded.uids].filter((each) => text.includes(each))]).toEqual([table, []])
    }
  })

  it.skipIf(!isThere)(
    'and so do their assistants',
    async () => {
      const [answers, expected] = [
        await askTools(made.secluded, made.guesses),
        await askTools(made.without, made.guesses),
      ]
      expect(answers).toEqual(expected)
    },
    300_000,
  )
})
