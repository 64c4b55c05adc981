import { readTime } from '../model/instant.ts'

const dayMs = 86_400_000
export const maxDaysAhead = 366

/**
 * When something ends that a person dated, in milliseconds: a date lasts to its end in UTC, a time with a zone is that
 * instant. Undefined when it is neither.
 */
export function readExpiry(text: string): number | undefined {
  const time = readTime(text)
  if (time === undefined || !time.isZoned) return undefined
  return time.start === time.end ? time.end : time.end + 1
}

/** Whether the date or time that was written lies further ahead than a waiver may. `now`: milliseconds. */
export function isTooFarAhead(text: string, now: number): boolean {
  return Date.parse(text) - now > maxDaysAhead * dayMs
}
