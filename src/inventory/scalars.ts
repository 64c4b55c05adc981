import { canonicalJson } from '../model/canonical-json.ts'
import { isExactNumber, numberText } from '../model/exact-number.ts'
import type { Json } from '../model/json.ts'

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

const secondsPerUnit: Readonly<Record<string, number>> = {
  h: 3600,
  m: 60,
  s: 1,
  ms: 0.001,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
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
  if (isInstant(raw) && raw.charAt(raw.length - 2) !== '0') return raw
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i.exec(raw)
  if (parts === null) return raw
  const [, whole, fraction = '', offset = 'Z'] = parts
  const instant = offset.toUpperCase() === 'Z' ? `${whole}` : shiftToUtc(`${whole}${offset}`)
  if (instant === undefined) return raw
  const digits = fraction.replace(/0+$/, '')
  return `${instant}${digits === '' ? '' : `.${digits}`}Z`
}

/** Whether a text is an instant as `asTime` writes it. */
export function isInstant(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text)
}

function shiftToUtc(time: string): string | undefined {
  const instant = new Date(time)
  return Number.isNaN(instant.getTime()) ? undefined : instant.toISOString().slice(0, 19)
}
