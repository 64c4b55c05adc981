/**
 * The wait that a Retry-After asks for, in milliseconds from `now` (milliseconds since the epoch); undefined when it is
 * absent or unreadable. Seconds and HTTP dates are the standard; releases up to v26.7.2 send the time itself in seconds
 * since 1970 (service-behaviour.md 12). Never negative, not capped.
 */
export function retryAfterMs(header: string | undefined, now: number, isTimeAbove: number): number | undefined {
  const text = header?.trim()
  if (!text) return undefined
  if (/^\d+(\.\d+)?$/.test(text)) {
    const seconds = Number(text)
    return Math.max(0, seconds > isTimeAbove ? seconds * 1000 - now : seconds * 1000)
  }
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined
  // The oldest of the three forms (`Sun Nov  6 08:49:37 1994`) names no zone and means GMT.
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
