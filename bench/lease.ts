import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leaseExpiryMs } from '../src/history/lease-owner.ts'
import { stopAtMoments } from '../test/cli/stopped-runs.ts'
import { pauseOwner, race } from '../test/history/lease-race.ts'
import { table } from './table.ts'

/**
 * Whether one run at a time is true, with real processes: many that begin at once, owners that are killed, one that is
 * paused beyond its lease, and runs that are stopped at any moment. Exits 1 when something was not as it must be.
 */
const processes = Number(process.env.BENCH_PROCESSES ?? 50)
const rounds = Number(process.env.BENCH_ROUNDS ?? 200)
const stops = Number(process.env.BENCH_STOPS ?? 50)

const directory = mkdtempSync(join(tmpdir(), 'hookdrift-lease-'))
let faults = 0

function show(title: string, rows: readonly (readonly [string, string | number, boolean])[]): void {
  for (const [, , isRight] of rows) if (!isRight) faults++
  const lines = rows.map(([what, value, isRight]) => [what, String(value), isRight ? 'right' : 'WRONG'])
  process.stdout.write(`${title}\n${table(lines)}\n`)
}

async function showRace(): Promise<void> {
  const results = await race(join(directory, 'race.db'), { processes, rounds, killEvery: 10 })
  const count = (isSo: (round: (typeof results)[number]) => boolean) => results.filter(isSo).length
  const codes = results.flatMap(({ exitCodes }) => exitCodes)
  const times = results.flatMap(({ loserMs }) => loserMs).sort((a, b) => a - b)
  const share = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(0)
  const uncommitted = count(({ isCommitted }) => !isCommitted)
  show(`${processes} processes begin at once on one history, ${rounds} times; every tenth winner is killed`, [
    ['rounds with one winner', count(({ winners }) => winners === 1), count(({ winners }) => winners !== 1) === 0],
    ['rounds without a winner', count(({ winners }) => winners === 0), count(({ winners }) => winners === 0) === 0],
    ['rounds whose winner could not commit', uncommitted, uncommitted === 0],
    [
      'losers that end with 5',
      `${codes.filter((code) => code === 5).length} of ${codes.length}`,
      codes.every((code) => code === 5),
    ],
    ['losers, ms: half within', share(0.5), true],
    ['losers, ms: 99 % within', share(0.99), true],
    ['losers, ms: slowest', share(1), Number(share(1)) < 1000],
  ])
}

async function showPause(): Promise<void> {
  const paused = await pauseOwner(join(directory, 'pause.db'), leaseExpiryMs + 500)
  show('an owner is paused (SIGSTOP) beyond its lease, and wakes (SIGCONT) when another has it', [
    ['the other begins at once', String(paused.hasOtherBegunEarly), !paused.hasOtherBegunEarly],
    ['the other begins after the lease', String(paused.hasOtherBegunLate), paused.hasOtherBegunLate],
    ['the woken one commits', String(paused.hasPausedCommitted), !paused.hasPausedCommitted],
    ['the other commits', String(paused.hasOtherCommitted), paused.hasOtherCommitted],
  ])
}

async function showStops(): Promise<void> {
  const results = await stopAtMoments(stops, Math.random)
  const slowest = Math.max(...results.map(({ ms }) => ms))
  const wrong = results.filter(({ isNextRight }) => !isNextRight).length
  const codes = [...new Set(results.map(({ code }) => code))].sort()
  show(`SIGTERM at ${stops} moments of a run`, [
    ['exit codes', codes.join(', '), codes.every((code) => code === 143)],
    ['runs that committed what they had', results.filter(({ hasCommitted }) => hasCommitted).length, true],
    ['slowest end, ms', slowest.toFixed(0), slowest < 10_000],
    ['next runs that say something else than undisturbed', wrong, wrong === 0],
  ])
}

try {
  await showRace()
  await showPause()
  await showStops()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
process.exitCode = faults === 0 ? 0 : 1
