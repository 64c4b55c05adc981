import { keepSchedule, ReloadRequests, type Work, type WorkerObserver } from '../../src/app/worker/keep-schedule.ts'
import type { Schedule } from '../../src/config/configuration.ts'
import type { Clock } from '../../src/model/time.ts'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour

export function aSchedule(members: Partial<Schedule> = {}): Schedule {
  return {
    name: 'quarter-hourly',
    cron: '*/15 * * * *',
    timezone: 'UTC',
    jitterMs: 0,
    projects: [],
    probes: true,
    runOnStart: false,
    runTimeoutMs: hour,
    ...members,
  }
}

interface Trial {
  readonly schedules?: readonly Schedule[]
  readonly from?: string
  /** How long the worker works, by a clock that is never set. */
  readonly forMs: number
  /** How often and by how much the clock is set, by the time that has really passed. */
  readonly steps?: readonly { readonly atMs: number; readonly byMs: number }[]
  /** How long a run takes. */
  readonly takesMs?: number
  readonly more?: Partial<Work<void>>
}

/** What happened, by the clock that the worker saw: `2026-11-21T03:15:00.000Z quarter-hourly`. */
export interface WorkLog {
  readonly runs: readonly { readonly at: number; readonly schedule: string }[]
  readonly skipped: readonly string[]
  readonly failed: readonly string[]
  readonly planned: readonly ReadonlyMap<string, number>[]
}

/** A worker on a clock that passes only while everybody sleeps, at once. */
export async function work({
  schedules = [aSchedule()],
  from = '2026-11-21T03:00:00Z',
  ...trial
}: Trial): Promise<WorkLog> {
  const stop = new AbortController()
  const start = Date.parse(from)
  let passed = 0
  let offset = 0
  const steps = [...(trial.steps ?? [])]
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const clock: Clock = {
    now: () => start + passed + offset,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { until: passed + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(signal.reason)
        })
      }),
  }
  const log = { runs: [] as WorkLog['runs'][number][], skipped: [] as string[], failed: [] as string[] }
  const planned: ReadonlyMap<string, number>[] = []
  const watch: WorkerObserver<void> = {
    planned: (upcoming) => void planned.push(upcoming),
    skipped: (schedule, reason, ticks) => void log.skipped.push(`${schedule} ${reason} ${ticks}`),
    started: (schedule) => void log.runs.push({ at: clock.now(), schedule }),
    ended: () => {},
    failed: (schedule, error) => void log.failed.push(`${schedule}: ${error instanceof Error ? error.message : error}`),
  }
  const keeping = keepSchedule(
    {
      clock,
      random: () => 0.5,
      schedules,
      servedUntil: () => undefined,
      reload: async () => schedules,
      reloads: new ReloadRequests(),
      run: async () => (trial.takesMs === undefined ? undefined : clock.sleep(trial.takesMs)),
      watch,
      ...trial.more,
    },
    stop.signal,
  )
  let isEnded = false
  void keeping.finally(() => {
    isEnded = true
  })
  while (!isEnded) {
    // Everybody who is awake goes to sleep or ends.
    await new Promise(setImmediate)
    const until = Math.min(...[...sleepers].map(({ until }) => until))
    const step = steps[0]
    if (step !== undefined && step.atMs <= Math.min(until, trial.forMs)) {
      passed = Math.max(passed, step.atMs)
      offset += step.byMs
      steps.shift()
    } else if (!stop.signal.aborted && until > trial.forMs) {
      passed = trial.forMs
      stop.abort()
    } else {
      passed = Math.max(passed, until)
    }
    for (const sleeper of sleepers) {
      if (sleeper.until > passed) continue
      sleepers.delete(sleeper)
      sleeper.wake()
    }
  }
  await keeping
  return { ...log, planned }
}

export const iso = (ms: number) => new Date(ms).toISOString()
