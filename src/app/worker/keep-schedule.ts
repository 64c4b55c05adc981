import type { Schedule } from '../../config/configuration.ts'
import { AuditError } from '../../model/errors.ts'
import type { Clock } from '../../model/time.ts'
import { readTimetable } from '../../policy/timetable.ts'
import { type Entry, longestNapMs, openSchedulePlanner, type Tick } from './schedule-planner.ts'

/**
 * Why a tick had no run of its own. `running`: a run of its schedule was in progress or waiting; `busy`: another
 * process writes to the history; `away`: the worker was down, and one run makes up for all missed ticks; `elsewhere`:
 * another worker asked for the run.
 */
export const skipReasons = ['running', 'busy', 'away', 'elsewhere'] as const
export type SkipReason = (typeof skipReasons)[number]

/** What schedules are kept by. Times are in milliseconds since the epoch. */
interface KeptSchedules {
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  readonly schedules: readonly Schedule[]
  /** Until when the projects of a schedule were audited; undefined: never. */
  readonly servedUntil: (schedule: Schedule) => number | undefined
  /** Called before each run, and for `reloads`: returns the schedules now in force. Rejects when the signal aborts. */
  readonly reload: (signal: AbortSignal) => Promise<readonly Schedule[]>
  readonly reloads: ReloadRequests
  readonly watch: Pick<WorkerObserver<never>, 'planned' | 'skipped' | 'failed'>
}

/** The worker's functions. */
export interface Work<Result> extends KeptSchedules {
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
  const { clock, watch } = work
  const { planner, scheduleOf, takeSchedules } = followSchedules(work, signal)
  const waiting = work.schedules.filter(({ runOnStart }) => runOnStart).map(({ name }) => name)
  let running: { readonly schedule: string; readonly done: Promise<void> } | undefined
  let wakeUp = () => {}
  signal.addEventListener('abort', () => wakeUp())
  work.reloads.onAsk(() => wakeUp())

  watch.planned(planner.upcoming())
  while (!signal.aborted) {
    // The run under way goes on with what it began with.
    if (work.reloads.isRequested) await takeSchedules()
    const ticks = planner.take(clock.now())
    for (const tick of ticks) enqueue(tick)
    if (ticks.length > 0) watch.planned(planner.upcoming())
    const next = running === undefined ? waiting.shift() : undefined
    if (next !== undefined) running = { schedule: next, done: runOnce(next) }
    await nap(Math.min(planner.nextDue() - clock.now(), longestNapMs))
  }
  await running?.done

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
      const schedule = scheduleOf(name)
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

/** The schedules in force by name, and the planner of their ticks. */
function followSchedules(
  { clock, random, servedUntil, reload, schedules: first, watch }: KeptSchedules,
  signal: AbortSignal,
) {
  const byName = (schedules: readonly Schedule[]) => new Map(schedules.map((schedule) => [schedule.name, schedule]))
  let schedules = byName(first)
  const planner = openSchedulePlanner({
    entries: first.map(entryOf),
    now: clock.now(),
    servedUntil: (name) => {
      const schedule = schedules.get(name)
      // Its run at the start makes up for all missed ticks.
      return schedule === undefined || schedule.runOnStart ? undefined : servedUntil(schedule)
    },
    random,
  })
  return {
    planner,
    scheduleOf: (name: string) => schedules.get(name),
    async takeSchedules(): Promise<void> {
      const current = await reload(signal)
      schedules = byName(current)
      planner.replace(current.map(entryOf), clock.now())
      watch.planned(planner.upcoming())
    },
  }
}

/** What the planner needs of a schedule. */
function entryOf(schedule: Schedule): Entry {
  const { name, cron, timezone, jitterMs } = schedule
  return { name, jitterMs, timetable: readTimetable(schedule), written: JSON.stringify([cron, timezone, jitterMs]) }
}

/** The schedules of a worker that shares runs with others: a tick asks for a run, which any of them may coordinate. */
export interface SharedSchedules extends KeptSchedules {
  /**
   * Asks for the run of a tick, once among all workers. `at`: when it was due by its pattern. Returns why there is none,
   * if there is none.
   */
  readonly ask: (schedule: Schedule, at: number) => Promise<Extract<SkipReason, 'running' | 'elsewhere'> | undefined>
}

/** How soon it repeats a tick for which it could not ask. */
const againMs = 5_000

/** Asks for the runs of the schedules until the signal aborts. A tick that could not ask does so as soon as it can. */
export async function keepSharedSchedule(work: SharedSchedules, signal: AbortSignal): Promise<void> {
  const { clock, watch } = work
  const { planner, scheduleOf, takeSchedules } = followSchedules(work, signal)
  const started = { at: clock.now(), passed: 0 }
  let due: Tick[] = work.schedules.flatMap(({ name, runOnStart }) =>
    runOnStart ? [{ schedule: name, ...started }] : [],
  )
  const starts: ReadonlySet<Tick> = new Set(due)
  watch.planned(planner.upcoming())
  while (!signal.aborted) {
    if (work.reloads.isRequested) await takeSchedules()
    due.push(...planner.take(clock.now()))
    if (due.length > 0) due = await askFor(due)
    const napMs = due.length > 0 ? againMs : Math.min(planner.nextDue() - clock.now(), longestNapMs)
    await nap(Math.max(0, napMs))
  }

  async function nap(ms: number): Promise<void> {
    const rest = new AbortController()
    work.reloads.onAsk(() => rest.abort())
    if (work.reloads.isRequested) return
    await clock.sleep(ms, AbortSignal.any([signal, rest.signal])).catch((error: unknown) => {
      if (!signal.aborted && !rest.signal.aborted) throw error
    })
  }

  /** Returns the ticks that could not ask. */
  async function askFor(ticks: readonly Tick[]): Promise<Tick[]> {
    await takeSchedules()
    const remaining: Tick[] = []
    for (const tick of ticks) {
      const schedule = scheduleOf(tick.schedule)
      if (schedule === undefined) continue
      try {
        const answer = await work.ask(schedule, tick.at)
        // A worker that starts during a run has missed none.
        const reason = answer === 'running' && starts.has(tick) ? 'elsewhere' : answer
        if (reason !== undefined) watch.skipped(tick.schedule, reason, 1 + tick.passed)
        else if (tick.passed > 0) watch.skipped(tick.schedule, 'away', tick.passed)
      } catch (error) {
        watch.failed(tick.schedule, error)
        remaining.push(tick)
      }
    }
    return remaining
  }
}

/** Requests from outside, such as SIGHUP, to read the files now and not only before the next run. */
export class ReloadRequests {
  #isRequested = false
  #wake = () => {}

  ask(): void {
    this.#isRequested = true
    this.#wake()
  }

  /** Whether files are to be read and no reading of them has begun. */
  get isRequested(): boolean {
    return this.#isRequested
  }

  /** Called when the files begin to be read, which answers the requests up to now. Returns whether there were any. */
  take(): boolean {
    const wasRequested = this.#isRequested
    this.#isRequested = false
    return wasRequested
  }

  /** `wake` is called with every request; the last one given counts. */
  onAsk(wake: () => void): void {
    this.#wake = wake
  }
}
