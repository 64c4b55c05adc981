const dayMs = 86_400_000
export const maxDaysAhead = 366

/**
 * When something ends that a person dated, in milliseconds: a date lasts to its end in UTC, a time with a zone is that
 * instant. Undefined when it is neither.
 */
export function readExpiry(text: string): number | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  if (date === undefined || !isDate(date)) return undefined
  const end = time === undefined ? Date.parse(date) + dayMs : Date.parse(text)
  return Number.isNaN(end) ? undefined : end
}

/** Whether the date or time that was written lies further ahead than a waiver may. `now`: milliseconds. */
export function isTooFarAhead(text: string, now: number): boolean {
  return Date.parse(text) - now > maxDaysAhead * dayMs
}

/** 30 February is not a date, though some engines accept it. */
function isDate(date: string): boolean {
  const ms = Date.parse(date)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date)
}
