/** `2026-12-01T08:00:00Z` → `2026-12-01`: messages name days, never ages, so that they do not change by themselves. */
export function dateOf(time: string): string {
  return time.slice(0, 10)
}

/** `2026-12-01T08:00:00.000Z` → `2026-12-01 08:00 UTC`. */
export function minuteOf(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`
}
