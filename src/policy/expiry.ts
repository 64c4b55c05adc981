import { dayMs, readTime } from '../model/time.ts'

export const maxDaysAhead = 366

/**
 * When a written expiry ends, in milliseconds: a date at its end in UTC, a time with a zone at that instant. Undefined
 * when the text is neither.
 */
export function readExpiry(text: string): number | undefined {
  const time = readTime(text)
  if (time === undefined || !time.isZoned) return undefined
  return time.start === time.end ? time.end : time.end + 1
}

/** Whether an expiry is further ahead than a waiver may last. `now`: milliseconds. */
export function isTooFarAhead(text: string, now: number): boolean {
  return Date.parse(text) - now > maxDaysAhead * dayMs
}
