import { canonicalJson } from '../../model/canonical-json.ts'
import { isExactNumber, numberText } from '../../model/exact-number.ts'
import type { Json } from '../../model/json.ts'

/** One form for one value, in every form that releases write. A value of another type stays as it is. */

export function asText(raw: Json): string {
  if (typeof raw !== 'string') return canonicalJson(raw)
  return isExactNumber(raw) ? numberText(raw) : raw
}

/** A decimal text of an integer becomes that integer. */
export function asNumber(raw: Json): Json {
  return typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : raw
}

export function asFlag(raw: Json): Json {
  return raw === 'true' ? true : raw === 'false' ? false : raw
}

/** `"1m30s"` (a Go duration) is 90. */
export function asSeconds(raw: Json): Json {
  if (typeof raw !== 'string' || raw.length > 64 || !/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(raw)) {
    return asNumber(raw)
  }
  let seconds = 0
  for (const [, amount, unit = ''] of raw.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) {
    seconds += Number(amount) * (secondsPerUnit[unit] ?? 0)
  }
  return seconds
}

/** One form for one instant: UTC, no trailing zeros. Year 1 is "not filled". Any other text stays as it is. */
export function asTime(raw: string): Json {
  if (raw.startsWith('0001-01-01T')) return null
  // As most services write it.
  if (isNormalTime(raw)) return raw
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(raw)
  if (parts === null) return raw
  const [, whole, fraction = '', offset = 'Z'] = parts
  const instant = offset.toUpperCase() === 'Z' ? `${whole}` : shiftToUtc(`${whole}${offset}`)
  if (instant === undefined) return raw
  const digits = fraction.replace(/0+$/, '')
  return `${instant}${digits === '' ? '' : `.${digits}`}Z`
}

/** Whether a text is an instant that `asTime` leaves as it is. */
export function isNormalTime(text: string): boolean {
  return isInstant(text) && text.charCodeAt(text.length - 2) !== zero && !text.startsWith('0001-01-01T')
}

/** Whether a text is an instant as `asTime` writes it: `2026-11-21T03:00:00Z`, with at most nine digits after a point. */
export function isInstant(text: string): boolean {
  const last = text.length - 1
  if (last < wholeSeconds || last > wholeSeconds + 10 || text.charCodeAt(last) !== zone) return false
  for (let at = 0; at < wholeSeconds; at++) {
    const expected = instantForm.charCodeAt(at)
    if (expected === zero ? !isDigit(text.charCodeAt(at)) : text.charCodeAt(at) !== expected) return false
  }
  if (last === wholeSeconds) return true
  for (let at = wholeSeconds + 1; at < last; at++) if (!isDigit(text.charCodeAt(at))) return false
  return text.charCodeAt(wholeSeconds) === point && last > wholeSeconds + 1
}

/** One release writes a service account as a base64 text, another as its bytes; both must give the same seal. */
export function asSecretText(raw: Json): string {
  if (Array.isArray(raw) && raw.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(raw.map(Number)).toString('base64')
  }
  return asText(raw)
}

const secondsPerUnit: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
}

const instantForm = '0000-00-00T00:00:00'
const wholeSeconds = instantForm.length
const zero = 0x30
const point = 0x2e
const zone = 0x5a

function isDigit(code: number): boolean {
  return code >= zero && code <= zero + 9
}

function shiftToUtc(time: string): string | undefined {
  const instant = new Date(time)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString().slice(0, 19)
}
