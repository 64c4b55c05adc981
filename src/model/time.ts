export const hourMs = 3_600_000
export const dayMs = 24 * hourMs

/** Milliseconds since the epoch as ISO 8601 in UTC, with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** Time as a parameter: nothing below `app/` reads the system's clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Resolves after `ms` milliseconds, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A time as a person wrote it, in milliseconds since the epoch: a date is a whole day in UTC, an instant has no length. */
export interface WrittenTime {
  readonly start: number
  /** The last millisecond that belongs to it. */
  readonly end: number
  /** Whether it fixes the instant by itself: a date does, a time without a zone does not. */
  readonly isZoned: boolean
}

/**
 * Reads a date (`2026-11-21`) or a time (`2026-11-21T03:00:00+01:00`; without a zone it is UTC).
 * Undefined for other texts and for days that no calendar has, such as 31 February.
 */
export function readTime(text: string): WrittenTime | undefined {
  const [, date, time, zone] = written.exec(text) ?? []
  const day = Date.parse(`${date}T00:00:00Z`)
  // `Date.parse` takes the 31st of June for the 1st of July.
  if (date === undefined || Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return undefined
  if (time === undefined) return { start: day, end: day + dayMs - 1, isZoned: true }
  const instant = Date.parse(`${date}${time}${zone ?? 'Z'}`)
  return Number.isNaN(instant) ? undefined : { start: instant, end: instant, isZoned: zone !== undefined }
}

/** As `readTime`, and relative to `now`: `today`, `yesterday` (days in UTC), or a duration back, such as `7d`. */
export function readPastTime(text: string, now: number): WrittenTime | undefined {
  const daysBack = ['today', 'yesterday'].indexOf(text)
  if (daysBack >= 0) return readTime(new Date(now - daysBack * dayMs).toISOString().slice(0, 10))
  const duration = readDuration(text)
  if (duration === undefined) return readTime(text)
  const instant = Math.max(now - duration, earliest)
  return { start: instant, end: instant, isZoned: true }
}

/** Dates before it have no four digits, and some none at all. */
const earliest = Date.parse('0000-01-01T00:00:00Z')

/** Reads `90s`, `30m`, `1.5h`, `7d` or `2w` as milliseconds; undefined for other texts and for no time at all. */
export function readDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9}(?:\.\d{1,3})?)([smhdw])$/.exec(text) ?? []
  const ms = Number(amount) * (unitsMs[unit ?? ''] ?? Number.NaN)
  return ms > 0 ? ms : undefined
}

/** A duration in the largest unit that it is a whole number of: `30 d`. */
export function writeDuration(ms: number): string {
  const [unit, unitMs] = writtenUnits.find(([, size]) => ms % size === 0) ?? ['ms', 1]
  return `${ms / unitMs} ${unit}`
}

/** An end for people: `the end of 2027-03-31` if it is midnight in UTC, else `2027-03-31 18:30:00 UTC`. */
export function formatExpiry(iso: string): string {
  const end = Date.parse(iso)
  if (Number.isNaN(end)) return iso
  const [day = '', time = ''] = new Date(end).toISOString().split(/[TZ.]/)
  if (time !== '00:00:00') return `${day} ${time} UTC`
  return `the end of ${new Date(end - 1).toISOString().slice(0, 10)}`
}

/** `2026-12-01T08:00:00Z` → `2026-12-01`: messages name days, never ages, so that they do not change by themselves. */
export function dateOf(time: string): string {
  return time.slice(0, 10)
}

/** `2026-12-01T08:00:00.000Z` → `2026-12-01 08:00 UTC`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}

/** A duration in its largest unit: `40 min`, `5 h`, `12 d`. */
export function showOpenTime(ms: number): string {
  // A clock that was set back makes ends that come before their beginnings.
  const minutes = Math.max(0, Math.round(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`
}

const written = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs }

const writtenUnits = [
  ['d', dayMs],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const
