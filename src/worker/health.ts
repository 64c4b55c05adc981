import type { SkipReason } from './keep-schedule.ts'

/** Whether the worker works. */
export interface Health {
  planned(upcoming: ReadonlyMap<string, number>): void
  skipped(schedule: string, reason: SkipReason): void
  started(): void
  ended(schedule: string): void
  failed(schedule: string): void
  /** Another worker that shares the runs of the history committed one. */
  committedElsewhere(): void
  /** Why it is not ready, in words; empty if it is ready. */
  troubles(now: number): readonly string[]
}

const failuresThatMatter = 3
/** After this, a tick is late: the worker checks once a minute, and a long transaction may delay it. */
const lateMs = 5 * 60_000

export function openHealth(): Health {
  let upcoming: ReadonlyMap<string, number> = new Map()
  let failures = 0
  const missed = new Map<string, SkipReason>()
  return {
    planned(next) {
      upcoming = next
      for (const schedule of missed.keys()) if (!next.has(schedule)) missed.delete(schedule)
    },
    skipped(schedule, reason) {
      // One run makes up for the ticks that passed while the worker was down, and a run elsewhere is a run.
      if (reason !== 'away' && reason !== 'elsewhere') missed.set(schedule, reason)
    },
    started() {},
    ended(schedule) {
      missed.delete(schedule)
      failures = 0
    },
    failed(schedule) {
      missed.delete(schedule)
      failures += 1
    },
    committedElsewhere() {
      failures = 0
      for (const [schedule, reason] of missed) if (reason === 'running') missed.delete(schedule)
    },
    troubles(now) {
      const late = [...upcoming].filter(([, at]) => at + lateMs < now)
      return [
        ...(failures >= failuresThatMatter ? [`the last ${failures} runs ended with an error`] : []),
        ...[...missed].map(([schedule, reason]) => `the last tick of ${schedule} was missed: ${reasons[reason]}`),
        ...late.map(([schedule]) => `a tick of ${schedule} is late`),
      ]
    },
  }
}

const reasons: Readonly<Record<SkipReason, string>> = {
  running: 'the run before it was still under way',
  busy: 'another process writes to the history',
  away: 'the worker was away',
  elsewhere: 'another worker has it',
}
