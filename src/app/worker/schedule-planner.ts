import type { Timetable } from '../../policy/timetable.ts'

/** A tick that is due. */
export interface Tick {
  readonly schedule: string
  /** When it was due by its pattern, before jitter; milliseconds since the epoch. */
  readonly at: number
  /** Further ticks of the schedule that have passed since, at most `mostCounted`: this one makes up for them. */
  readonly passed: number
}

export interface Entry {
  readonly name: string
  readonly timetable: Timetable
  readonly jitterMs: number
  /** The schedule's text: the same text has the same timetable. */
  readonly written: string
}

/** Plans ticks. It has no clock of its own and does not know about runs. */
export interface SchedulePlanner {
  /** Takes the ticks that are due by now, earliest first. */
  take(now: number): readonly Tick[]
  /** When the next one is due, jitter included; infinite without schedules. */
  nextDue(): number
  /** When the next tick of each schedule is due, jitter included. */
  upcoming(): ReadonlyMap<string, number>
  /** Replaces the schedules; those with the same text keep their state. */
  replace(entries: readonly Entry[], now: number): void
}

export interface PlannerStart {
  readonly entries: readonly Entry[]
  readonly now: number
  /** When a schedule's projects were last scanned; undefined: never, so there is nothing to catch up with. */
  readonly servedUntil: (schedule: string) => number | undefined
  /** At least 0, below 1. */
  readonly random: () => number
}

/**
 * A clock that was set back by more than this was wrong before, and the schedules follow it. After a smaller step they
 * wait until it reaches times that had no tick yet, as cron daemons do.
 */
export const smallStepMs = 3 * 3_600_000
/**
 * A sleeping machine's timers do not run, and clocks change: the clock is read at least this often. So one that was set
 * back may have passed a tick of its new time before that is noticed.
 */
export const longestNapMs = 60_000
/** The most passed ticks to count, so that a pattern by the second and a year of downtime cost nothing. */
export const mostCounted = 1000

interface NextTick extends Entry {
  readonly next: number
  readonly due: number
}

/** After any pause, a schedule gives one tick for all the time that has passed, and never one tick twice. */
export function openSchedulePlanner({ entries, now, servedUntil, random }: PlannerStart): SchedulePlanner {
  const plan = (entry: Entry, after: number): NextTick => {
    const next = entry.timetable.after(after)
    return { ...entry, next, due: next + Math.floor(random() * entry.jitterMs) }
  }
  let latest = now
  let planned = entries.map((entry) => plan(entry, Math.min(servedUntil(entry.name) ?? now, now)))

  return {
    take(now) {
      if (now < latest - smallStepMs) {
        planned = planned.map((entry) => plan(entry, now - longestNapMs))
        latest = now
      }
      latest = Math.max(latest, now)
      const ticks: Tick[] = []
      planned = planned.map((entry) => {
        if (entry.due > now) return entry
        const { passed, last } = passedBetween(entry, now)
        ticks.push({ schedule: entry.name, at: entry.next, passed })
        return plan(entry, last)
      })
      return ticks.sort((a, b) => a.at - b.at)
    },
    nextDue: () => Math.min(...planned.map(({ due }) => due)),
    upcoming: () => new Map(planned.map(({ name, due }) => [name, due])),
    replace(entries, now) {
      const byName = new Map(planned.map((entry) => [entry.name, entry]))
      planned = entries.map((entry) => {
        const before = byName.get(entry.name)
        return before?.written === entry.written ? before : plan(entry, now)
      })
    },
  }
}

/** Counts the passed ticks after the next one, and returns the moment from which to plan on. */
function passedBetween({ timetable, next }: NextTick, now: number): { passed: number; last: number } {
  let last = next
  for (let passed = 0; passed < mostCounted; passed++) {
    const following = timetable.after(last)
    if (following > now) return { passed, last }
    last = following
  }
  return { passed: mostCounted, last: now }
}
