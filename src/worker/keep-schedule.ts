import type { Schedule } from '../config/configuration.ts'
import { AuditError } from '../model/errors.ts'
import type { Clock } from '../model/time.ts'
import { readTimetable } from '../policy/timetable.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { type Entry, longestNapMs, openSchedulePlanner, type Tick } from './schedule-planner.ts'

/**
 * Why a tick had no run of its own. `running`: a run of its schedule was in progress or waiting; `busy`: another
 * process writes to the history; `away`: the worker was down, and one run makes up for all missed ticks; `elsewhere`:
 * another worker asked for the run.
 */
export const skipReasons = ['running', 'busy', 'away', 'elsewhere'] as const
export type SkipReason = (typeof skipReasons)[number]

/** The worker's functions. Times are in milliseconds since the epoch. */
export interface Work<Result> {
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  readonly schedules: readonly Schedule[]
  readonly servedUntil: (schedule: Schedule) => number | undefined
  /** Called before each run, and for `reloads`: returns the schedules now in force. Rejects when the signal aborts. */
  readonly reload: (signal: AbortSignal) => Promise<readonly Schedule[]>
  readonly reloads: ReloadRequests
  /** @throws AuditError.busy when another process writes to the history */
  readonly run: (schedule: Schedule, signal: AbortSignal) => Promise<Result>
  readonly watch: WorkerObserver<Result>
}

/** Called with each event of the worker. */
export interface WorkerObserver<Result> {
  planned(upcoming: ReadonlyMap<string, number>): void
  skipped(schedule: string, reason: SkipReason, ticks: number): void
  started(schedule: string): void
  ended(schedule: string, result: Result): Promise<void> | void
  /** An error ended the run. */
  failed(schedule: string, error: unknown): void
}

/**
 * Runs the schedules, one run at a time, until it is stopped; then waits for the run in progress to end. A tick of a
 * schedule that is running or waiting is skipped; a tick of another one waits for its turn.
 */
export async function keepSchedule<Result>(work: Work<Result>, signal: AbortSignal): Promise<void> {
  const { clock, random, watch } = work
  let schedules = byName(work.schedules)
  const planner = openSchedulePlanner({
    entries: work.schedules.map(entryOf),
    now: clock.now(),
    servedUntil: (name) => {
      const schedule = schedules.get(name)
      // Its first run starts at once and makes up for all missed ticks.
      return schedule === undefined || schedule.runOnStart ? undefined : work.servedUntil(schedule)
    },
    random,
  })
  const waiting = work.schedules.filter(({ runOnStart }) => runOnStart).map(({ name }) => name)
  let running: { readonly schedule: string; readonly done: Promise<void> } | undefined
  let wakeUp = () => {}
  signal.addEventListener('abort', () => wakeUp())
  work.reloads.onAsk(() => wakeUp())

  watch.planned(planner.upcoming())
  while (!signal.aborted) {
    if (work.reloads.isRequested) await takeSchedules()
    const ticks = planner.take(clock.now())
    for (const tick of ticks) enqueue(tick)
    if (ticks.length > 0) watch.planned(planner.upcoming())
    const next = running === undefined ? waiting.shift() : undefined
    if (next !== undefined) running = { schedule: next, done: runOnce(next) }
    await nap(Math.min(planner.nextDue() - clock.now(), longestNapMs))
  }
  await running?.done

  /** The run under way goes on with what it began with. */
  async function takeSchedules(): Promise<void> {
    const current = await work.reload(signal)
    schedules = byName(current)
    planner.replace(current.map(entryOf), clock.now())
    watch.planned(planner.upcoming())
  }

  function enqueue({ schedule, passed }: Tick): void {
    const isUnderWay = running?.schedule === schedule || waiting.includes(schedule)
    if (isUnderWay) watch.skipped(schedule, 'running', 1 + passed)
    else if (passed > 0) watch.skipped(schedule, 'away', passed)
    if (!isUnderWay) waiting.push(schedule)
  }

  /** Never rejects: an error of one run does not stop the next. */
  async function runOnce(name: string): Promise<void> {
    try {
      await takeSchedules()
      const schedule = schedules.get(name)
      if (schedule === undefined || signal.aborted) return
      watch.started(name)
      await watch.ended(name, await work.run(schedule, signal))
    } catch (error) {
      if (error instanceof AuditError && error.kind === 'busy') watch.skipped(name, 'busy', 1)
      else watch.failed(name, error)
    } finally {
      running = undefined
      wakeUp()
    }
  }

  async function nap(ms: number): Promise<void> {
    const rest = new AbortController()
    wakeUp = () => rest.abort()
    if (signal.aborted || work.reloads.isRequested || (running === undefined && waiting.length > 0)) return
    try {
      await clock.sleep(Math.max(0, ms), rest.signal)
    } catch (error) {
      if (!rest.signal.aborted) throw error
    }
  }
}

function byName(schedules: readonly Schedule[]): ReadonlyMap<string, Schedule> {
  return new Map(schedules.map((schedule) => [schedule.name, schedule]))
}

/** What the planner needs of a schedule. */
export function entryOf(schedule: Schedule): Entry {
  const { name, cron, timezone, jitterMs } = schedule
  return { name, jitterMs, timetable: readTimetable(schedule), written: JSON.stringify([cron, timezone, jitterMs]) }
}
