import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { createRandom } from '../src/demo/random.ts'
import { deathVariable } from '../test/history/die-at-write.ts'
import { openDatabases } from '../test/pool/open-databases.ts'
import { type Answers, answersOf, type Backend, openCommands, type Place } from './commands/fixture.ts'
import { countViolations, Tally } from './conclude.ts'
import { stopVariable } from './run-cases.ts'

/**
 * Kills commands that write, with histories in a file and in PostgreSQL: an audit with its notifications, a pruning, a
 * backup, a copy to another place, and a delivery. Afterwards the history verifies and is the one before or the one
 * after, the same command completes it, and each message was received: in order, and if twice, with its id and body.
 * `node prove/killed-commands.ts [seed]`: `--random 10000` kills at random moments (`--from N`: after the first ones),
 * and one at each write of each command, or at `--writes N` of them; `--only audit` for one command. Ends with 1 for
 * any other outcome.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    random: { type: 'string', default: '10000' },
    from: { type: 'string', default: '0' },
    writes: { type: 'string', default: 'Infinity' },
    only: { type: 'string' },
  },
})
const [seed = '1'] = positionals
const [kills, most] = [Number(values.random), Number(values.writes)]

/** A command to kill, and what must hold when it was. */
interface Victim {
  readonly name: string
  readonly on: Backend
  /** Where the place is that it writes to. */
  readonly to: Backend
  readonly args: (place: Place, to: Place) => readonly string[]
  /** What is wrong with what a kill left, and with what the command makes of it when it is repeated. */
  readonly faults: (killed: Killed) => Promise<readonly string[]>
}

interface Killed {
  readonly place: Place
  readonly to: Place
  readonly args: readonly string[]
  readonly expected: Undisturbed
}

/** What a command makes when nothing disturbs it. */
interface Undisturbed {
  readonly ms: number
  /** How many there are to kill it at. */
  readonly writes: number
  readonly before: Answers
  readonly after: Answers
  readonly events: readonly string[]
}

const backends = ['file', 'database'] as const
const victims: readonly Victim[] = [
  ...backends.flatMap((on): Victim[] => [
    { name: 'audit', on, to: 'file', args: () => ['audit', '--quiet'], faults: faultsOfAudit },
    { name: 'prune', on, to: 'file', args: () => ['prune', '--keep-last', '1'], faults: faultsOfPruning },
    { name: 'notify', on, to: 'file', args: () => ['notify'], faults: faultsOfDelivery },
    { name: 'backup', on, to: 'file', args: (_, to) => ['backup', to.address], faults: faultsOfBackup },
  ]),
  ...(['database', 'file'] as const).flatMap((to): Victim[] =>
    backends
      .filter((on) => on === 'file' || to === 'file')
      .map((on) => {
        const args = (place: Place, { address }: Place) => ['history', 'copy', place.address, address]
        return { name: 'copy', on, to, args, faults: faultsOfCopy }
      }),
  ),
]

await using databases = await openDatabases()
await using commands = await openCommands(`kills-${seed}`, databases)
const stops = process.env[stopVariable] !== undefined
const tally = new Tally()
let killed = 0
/** While one process is started and killed, what another one left is examined here. */
const limit = pLimit(availableParallelism())

const [first, ...others] = victims.filter(({ name }) => values.only === undefined || name === values.only)
if (first === undefined) throw new Error(`there is no command "${values.only}" to kill`)
const chosen = [first, ...others] as const
const expected = new Map<Victim, Undisturbed>()
for (const victim of chosen) expected.set(victim, await runUndisturbed(victim))
for (const [victim, { writes }] of expected) {
  // A file is the same after a write and before the next one. An answer of a server may be on its way.
  const moments = victim.on === 'file' && victim.to === 'file' ? ['after'] : ['before', 'after']
  const all = Array.from({ length: writes }, (_, at) => at + 1).flatMap((write) =>
    moments.map((when) => `${when} ${write}`),
  )
  // An audit makes a run, and has more of them.
  const chosenMoments = spread(all, victim.name === 'audit' ? 3 * most : most)
  await limit.map(chosenMoments, (moment) => proveKill(victim, deathAt(moment), `${moment} writes`))
}
const random = createRandom(`kills/${seed}`)
const atRandom = Array.from({ length: kills }, () => ({ victim: random.pick(chosen), share: random.below(10_000) }))
const from = Number(values.from)
await limit.map(atRandom.slice(from), async ({ victim, share }, at) => {
  // The program's own start takes the first part of it.
  const atMs = Math.round((expected.get(victim)?.ms ?? 0) * (0.3 + 0.8 * (share / 10_000)))
  await proveKill(victim, {}, `after ${atMs} ms`, atMs)
  // For `--from`, where a later run goes on.
  if ((from + at + 1) % 500 === 0) process.stdout.write(`${from + at + 1} at random\n`)
})
process.stdout.write(`${killed} kills\n`)
tally.conclude('cases')

function deathAt(moment: string): Readonly<Record<string, string>> {
  const preloaded = join(import.meta.dirname, '../test/history/die-at-write.ts')
  return { [deathVariable]: moment, NODE_OPTIONS: `--import ${preloaded}` }
}

/** So many of them at most, from all parts. */
function spread<Value>(values: readonly Value[], most: number): readonly Value[] {
  if (values.length <= most) return values
  return Array.from({ length: most }, (_, at) => values[Math.floor(((at + 0.5) * values.length) / most)]).filter(
    (value) => value !== undefined,
  )
}

async function proveKill(
  victim: Victim,
  env: Readonly<Record<string, string>>,
  moment: string,
  atMs?: number,
): Promise<void> {
  if (stops && countViolations(tally.outcome) > 0) return
  const known = expected.get(victim)
  if (known === undefined) throw new Error(`${victim.name} was not run undisturbed`)
  const [place, to] = [await commands.copy(victim.on), await commands.empty(victim.to)]
  try {
    const args = victim.args(place, to)
    const running = place.start(args, env)
    const timer = atMs === undefined ? undefined : setTimeout(() => running.child.kill('SIGKILL'), atMs)
    const { code, signal, stderr } = await running.ended
    clearTimeout(timer)
    const wasKilled = signal === 'SIGKILL'
    killed += wasKilled ? 1 : 0
    const faults = wasKilled || code === 0 || code === 1 ? [] : [`it ended with ${code}: ${stderr}`]
    faults.push(...(await victim.faults({ place, to, args, expected: known }).catch((error) => [String(error)])))
    const about = `${victim.name} of a ${victim.on} to a ${victim.to}, killed ${moment}`
    tally.report(about, faults, 'whole', `node prove/killed-commands.ts ${seed} --only ${victim.name}`)
  } finally {
    await to.remove()
    await place.remove()
  }
}

async function runUndisturbed({ on, to: target, args: argsOf, name }: Victim): Promise<Undisturbed> {
  const [place, to] = [await commands.copy(on), await commands.empty(target)]
  const before = await answersOf(place)
  const startedAt = performance.now()
  const { code, stderr } = await place.start(argsOf(place, to), deathAt(`count ${join(place.directory, 'writes')}`))
    .ended
  if (code !== 0 && code !== 1) throw new Error(`${name} ended with ${code} undisturbed: ${stderr}`)
  const ms = performance.now() - startedAt
  const after = await answersOf(place)
  const events = eventsOf(place)
  const writes = Number(readFileSync(join(place.directory, 'writes'), 'utf8'))
  await to.remove()
  await place.remove()
  process.stdout.write(`${name} of a ${on} to a ${target}: ${writes} writes\n`)
  return { ms, writes, before, after, events }
}

/** The run is whole or absent; the next one completes it, and no message is lost or says something twice. */
async function faultsOfAudit({ place, args, expected }: Killed): Promise<string[]> {
  const faults = await faultsOfHistory(place)
  const left = await answersOf(place)
  const isWhole = left.runs.length === expected.after.runs.length
  if (left.rows !== (isWhole ? expected.after : expected.before).rows)
    faults.push('its run is neither whole nor absent')
  const { code, stderr } = await place.say(args)
  if (code !== 1) faults.push(`the next audit ended with ${code}: ${stderr}`)
  const next = await answersOf(place)
  if (next.rows !== expected.after.rows) faults.push('the next audit finds something else')
  return [...faults, ...(await faultsOfMessages(place, expected)), ...(await faultsOfHistory(place))]
}

async function faultsOfPruning({ place, args, expected }: Killed): Promise<string[]> {
  const faults = await faultsOfHistory(place)
  const left = await answersOf(place)
  const [before, after] = [expected.before.runs.join(), expected.after.runs.join()]
  if (before === after) faults.push('there is nothing to prune')
  if (left.runs.join() !== before && left.runs.join() !== after) faults.push(`runs ${left.runs.join()} are left`)
  const { code, stderr } = await place.say(args)
  if (code !== 0) faults.push(`the next pruning ended with ${code}: ${stderr}`)
  const next = await answersOf(place)
  if (next.runs.join() !== after) faults.push(`the next pruning leaves runs ${next.runs.join()}`)
  if (left.rows !== expected.before.rows || next.rows !== expected.before.rows) faults.push('a pruning changed answers')
  return [...faults, ...(await faultsOfHistory(place))]
}

async function faultsOfDelivery({ place, expected }: Killed): Promise<string[]> {
  return [...(await faultsOfHistory(place)), ...(await faultsOfMessages(place, expected))]
}

async function faultsOfBackup({ place, to, args, expected }: Killed): Promise<string[]> {
  const faults = await faultsOfHistory(place)
  if (existsSync(to.address)) faults.push(...(await faultsOfCopied(to, expected)))
  const { code, stderr } = await place.say([...args, '--force'])
  if (code !== 0) faults.push(`the next backup ended with ${code}: ${stderr}`)
  const files = readdirSync(to.directory).sort().join()
  if (files !== 'hookdrift.db,hookdrift.yaml') faults.push(`there are ${files} after it`)
  return [...faults, ...(await faultsOfCopied(to, expected))]
}

/** The history is in one place, and the copy can be completed. */
async function faultsOfCopy({ place, to, args, expected }: Killed): Promise<string[]> {
  const faults = await faultsOfHistory(place)
  const { code, stderr } = await place.say(args)
  const wasMoved = code === 5 && stderr.includes('was moved to')
  if (code !== 0 && !wasMoved) faults.push(`the next copy ended with ${code}: ${stderr}`)
  faults.push(...(await faultsOfCopied(to, expected)))
  const there = await place.say(['audit', '--quiet'])
  if (there.code !== 5) faults.push(`an audit of the former place ended with ${there.code}: ${there.stderr}`)
  const here = await to.say(['audit', '--quiet'])
  if (here.code !== 1) faults.push(`an audit of the new place ended with ${here.code}: ${here.stderr}`)
  return [...faults, ...(await faultsOfHistory(to))]
}

async function faultsOfCopied(to: Place, { before }: Undisturbed): Promise<string[]> {
  const faults = await faultsOfHistory(to)
  const { runs, rows } = await answersOf(to)
  return runs.join() === before.runs.join() && rows === before.rows ? faults : [...faults, 'the copy answers otherwise']
}

async function faultsOfHistory(place: Place): Promise<string[]> {
  const { code, stdout, stderr } = await place.say(['verify', '--deep'])
  const failed = stdout.split('\n').filter((line) => !/^(?:ok|-|$)/.test(line))
  return code === 0 ? [] : [`verify ended with ${code}: ${failed.join(' ').slice(0, 500)} ${stderr}`]
}

/** Delivers what waits. Each event came, under one id and with one body, and messages came in their order. */
async function faultsOfMessages(place: Place, { events }: Undisturbed): Promise<string[]> {
  await place.say(['notify'])
  const pending = await place.say(['notify', '--pending', '--format', 'json'])
  const got = place.received()
  const bodies = Map.groupBy(got, ({ id }) => id)
  const changed = [...bodies].filter(([, all]) => new Set(all.map(({ body }) => body)).size > 1)
  const said = eventsOf(place)
  const order = got.map(({ body }) => runOf(body))
  return [
    ...(JSON.parse(pending.stdout).rows.length === 0 ? [] : [`messages wait: ${pending.stdout}`]),
    ...changed.map(([id]) => `message ${id} came with different bodies`),
    ...(said.join('\n') === events.join('\n') ? [] : [`events: ${said.length} came, ${events.length} were expected`]),
    ...(order.every((run, at) => at === 0 || run >= (order[at - 1] ?? 0)) ? [] : [`runs in the order ${order.join()}`]),
  ]
}

/** What messages of different ids say, each once. */
function eventsOf(place: Place): readonly string[] {
  const bodies = new Map(place.received().map(({ id, body }) => [id, body]))
  return [...bodies.values()].flatMap((body) => textsOf(body)).sort()
}

interface Received {
  readonly data: {
    readonly run: { readonly number: number }
    readonly events: readonly { readonly type: string; readonly fingerprint?: string; readonly text: string }[]
  }
}

function textsOf(body: string): readonly string[] {
  const { data }: Received = JSON.parse(body)
  return data.events.map(({ type, fingerprint, text }) => `${type} ${fingerprint ?? text}`)
}

function runOf(body: string): number {
  const { data }: Received = JSON.parse(body)
  return data.run.number
}
