/** The service's value for a time that is not set. */
export const zeroTime = '0001-01-01T00:00:00Z'

/** RFC 3339 as the service writes it: digits beyond the milliseconds, trailing zeros dropped. */
export function timestamp(timeMs: number, beyondMs = ''): string {
  const [seconds, fraction] = new Date(timeMs).toISOString().slice(0, -1).split('.')
  const digits = `${fraction}${beyondMs}`.replace(/0+$/, '')
  return digits === '' ? `${seconds}Z` : `${seconds}.${digits}Z`
}
