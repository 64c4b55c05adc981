import type { Schedule } from '../config/configuration.ts'
import type { Clock } from '../model/time.ts'
import { entryOf, type SkipReason } from './keep-schedule.ts'
import type { ReloadRequests } from './reload-requests.ts'
import { longestNapMs, openSchedulePlanner, type Tick } from './schedule-planner.ts'

/** The schedules of a worker that shares runs with others: a tick asks for a run, which any of them may coordinate. */
export interface SharedSchedules {
  readonly clock: Clock
  /** At least 0, below 1. */
  readonly random: () => number
  readonly schedules: readonly Schedule[]
  /** Until when the projects of a schedule were audited, in milliseconds; undefined: never. */
  readonly servedUntil: (schedule: Schedule) => number | undefined
  /** Called before each tick, and for `reloads`: returns the schedules now in force. */
  readonly reload: () => Promise<readonly Schedule[]>
  readonly reloads: ReloadRequests
  /**
   * Asks for the run of a tick, once among all workers. `at`: when it was due by its pattern, in milliseconds.
   * Returns why there is none, if there is none.
   */
  readonly ask: (schedule: Schedule, at: number) => Promise<Extract<SkipReason, 'running' | 'elsewhere'> | undefined>
  readonly watch: {
    planned(upcoming: ReadonlyMap<string, number>): void
    skipped(schedule: string, reason: SkipReason, ticks: number): void
    failed(schedule: string, error: unknown): void
  }
}

/** How soon it repeats a tick for which it could not ask. */
const againMs = 5_000

/** Asks for the runs of the schedules until the signal aborts. A tick that could not ask does so as soon as it can. */
export async function keepSharedSchedule(work: SharedSchedules, signal: AbortSignal): Promise<void> {
  const { clock, watch } = work
  let schedules = byName(work.schedules)
  const servedUntil = (name: string) => {
    const schedule = schedules.get(name)
    // Its run at the start makes up for all missed ticks.
    return schedule === undefined || schedule.runOnStart ? undefined : work.servedUntil(schedule)
  }
  const entries = work.schedules.map(entryOf)
  const planner = openSchedulePlanner({ entries, now: clock.now(), servedUntil, random: work.random })
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

  async function takeSchedules(): Promise<void> {
    const current = await work.reload()
    schedules = byName(current)
    planner.replace(current.map(entryOf), clock.now())
    watch.planned(planner.upcoming())
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
      const schedule = schedules.get(tick.schedule)
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

function byName(schedules: readonly Schedule[]): ReadonlyMap<string, Schedule> {
  return new Map(schedules.map((schedule) => [schedule.name, schedule]))
}
