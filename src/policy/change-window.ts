import { z } from 'zod'
import { maskCredentials } from '../gateway/inventory/seal-text.ts'
import type { TimeSpan } from '../model/change.ts'
import { matchesGlob } from '../model/glob.ts'
import { describeWindow, type RecordedWindow } from '../model/policy-facts.ts'
import { dayMs, isoTime, minuteOf, readDuration, writeDuration } from '../model/time.ts'
import type { WindowTime } from '../model/window-time.ts'
import { checkFaults, type ValueFault } from '../model/yaml/value-fault.ts'
import { longestInterval, readTimetable, timetableFaultsAt } from './timetable.ts'

const longestMs = 31 * dayMs
const durationError = 'a duration such as `2h` or `1d`, at most 31d'

/** When people may change what hookdrift watches. */
export const changeWindowSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, `.`, `_` and `-`, at most 100' })
      .describe('Its name in reports'),
    cron: z
      .string()
      .regex(/^[^\0-\x1f\x7f]{1,200}$/, {
        error: 'five fields (minute hour day month weekday), or six with seconds first, at most 200 characters',
      })
      .describe('When it opens. Five fields: minute, hour, day, month, weekday; or six, with seconds first'),
    timezone: z
      .string()
      .regex(/^[A-Za-z0-9_+/-]{1,64}$/, { error: 'a time zone such as Europe/Berlin, at most 64 characters' })
      .exactOptional()
      .describe('The zone whose clock the pattern reads, such as Europe/Berlin. Default: UTC'),
    duration: z
      .string({ error: durationError })
      .refine((text) => (readDuration(text) ?? Number.POSITIVE_INFINITY) <= longestMs, { error: durationError })
      .describe('For how long it is open, such as `2h`; at most 31d'),
    projects: z
      .array(
        z
          .string()
          .max(500)
          // A name without its service would match nothing, as in overrides.
          .refine((pattern) => /[/*]/.test(pattern), { error: 'service/project, or a pattern such as `acme/*`' }),
      )
      .min(1)
      .max(1000)
      .exactOptional()
      .describe('Only these: service/project; `*` matches any text. Default: all'),
    ticket: z.string().trim().min(1).max(1000).exactOptional().describe('Where the work is announced'),
  })
  .check(checkFaults(findNoTimetable))

export type WrittenWindow = z.infer<typeof changeWindowSchema>

/** A change window of the policy file. */
export interface ChangeWindow {
  readonly written: RecordedWindow
  isFor(project: string): boolean
  /** The first time of it that touches a time; both in milliseconds since the epoch. */
  timeWithin(after: number, before: number): WindowTime | undefined
  /** When it opens next after a moment, in milliseconds since the epoch. */
  opensAfter(ms: number): number
}

/** `said`: checked by the policy's schema. */
export function compileWindow(said: WrittenWindow): ChangeWindow {
  const written = recordWindow(said)
  const { name, cron, timezone, projects, ticket = null } = written
  const timetable = readTimetable({ cron, timezone })
  const durationMs = durationOf(written)
  return {
    written,
    isFor: (project) => projects?.some((pattern) => matchesGlob(project, pattern)) ?? true,
    timeWithin(after, before) {
      const from = timetable.after(after - durationMs)
      return from > before ? undefined : { name, ticket, from: isoTime(from), to: isoTime(from + durationMs) }
    },
    opensAfter: (ms) => timetable.after(ms),
  }
}

/** The times of some windows that touch a time in which changes came about, in the order of the policy. */
export function windowTimes(windows: readonly ChangeWindow[], times: readonly TimeSpan[]): readonly WindowTime[] {
  const distinct = new Map(times.map((time) => [`${time.after} ${time.before}`, time]))
  const timesByKey = new Map<string, WindowTime>()
  for (const window of windows) {
    for (const { after, before } of distinct.values()) {
      const time = after === null ? undefined : window.timeWithin(Date.parse(after), Date.parse(before))
      if (time !== undefined) timesByKey.set(`${time.name} ${time.from}`, time)
    }
  }
  return [...timesByKey.values()]
}

/** `nightly: 0 22 * * * (UTC), open for 2h (CHG-4711)`. */
export function describeChangeWindow({ written }: ChangeWindow): string {
  return `${describeWindow(written)}${written.ticket === undefined ? '' : ` (${written.ticket})`}`
}

/** What a run keeps of a window. */
export function recordWindow(said: WrittenWindow): RecordedWindow {
  const { name, cron, timezone = 'UTC', duration, projects = null, ticket } = said
  const window = { name, cron, timezone, duration, projects }
  return ticket === undefined ? window : { ...window, ticket: maskCredentials(ticket) }
}

/** `between 2026-11-26 13:02 and 14:02 UTC, outside every change window (the next: nightly, 2026-11-26 22:00 UTC)`. */
export function describeOutside(windows: readonly ChangeWindow[], after: string, before: string): string {
  const [from, to] = [minuteOf(after), minuteOf(before)]
  const isSameDay = from.slice(0, 10) === to.slice(0, 10)
  const between = `between ${from.slice(0, -' UTC'.length)} and ${isSameDay ? to.slice('2026-11-26 '.length) : to}`
  const [next] = windows
    .map(({ written: { name }, opensAfter }) => ({ name, at: opensAfter(Date.parse(before)) }))
    .sort((a, b) => a.at - b.at)
  const nextOpening = next === undefined ? '' : ` (the next: ${next.name}, ${minuteOf(isoTime(next.at))})`
  return `${between}, outside every change window${nextOpening}`
}

function durationOf({ duration }: Pick<WrittenWindow, 'duration'>): number {
  const ms = readDuration(duration)
  if (ms === undefined) throw new Error(`the schema let ${duration} pass`)
  return ms
}

/** A pattern says the same at any time, so the policy is right or wrong whenever it is read. */
const checkedFrom = Date.UTC(2026, 0, 1)
const findTimetableFault = timetableFaultsAt(checkedFrom)

/** Finds windows that never open, or never close. */
function* findNoTimetable(written: WrittenWindow): Generator<ValueFault> {
  const { cron, timezone = 'UTC' } = written
  const fault = findTimetableFault({ cron, timezone, jitterMs: 0 })
  if (fault !== undefined) {
    yield { path: [fault.member], say: () => fault.text }
    return
  }
  const interval = longestInterval({ cron, timezone }, checkedFrom) ?? 0
  if (durationOf(written) < interval) return
  const say = () => `it opens again after ${writeDuration(interval)} at most, so it never closes: expected less`
  yield { path: ['duration'], say }
}
