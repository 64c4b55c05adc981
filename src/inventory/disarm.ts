import { isJsonObject, type Json } from '../model/json.ts'
import { objectOf } from './objects.ts'
import type { Sealer } from './sealer.ts'

/**
 * What a service sent, with every text sealed that looks as if hookdrift had sealed it: such a text would be taken for
 * a seal from then on, and kept as it is. Most often the value itself.
 */
export function disarm(raw: Json, sealer: Sealer): Json {
  if (typeof raw === 'string') return disarmText(raw, sealer)
  if (typeof raw !== 'object' || raw === null || !holdsLikeness(raw)) return raw
  if (!isJsonObject(raw)) return raw.map((item) => disarm(item, sealer))
  return objectOf(Object.entries(raw).map(([key, value]) => [disarmText(key, sealer), disarm(value, sealer)]))
}

export function disarmText(text: string, sealer: Sealer): string {
  return looksSealed(text) ? sealAsSent(text, sealer) : text
}

/** The seal of a text, also of one that is spelt like a seal. */
export function sealAsSent(text: string, sealer: Sealer): string {
  return sealer.seal(`as sent: ${text}`)
}

function holdsLikeness(raw: Json): boolean {
  if (typeof raw === 'string') return looksSealed(raw)
  if (typeof raw !== 'object' || raw === null) return false
  if (!isJsonObject(raw)) return raw.some(holdsLikeness)
  for (const key in raw) if (looksSealed(key) || holdsLikeness(raw[key] ?? null)) return true
  return false
}

function looksSealed(text: string): boolean {
  return text.length >= shortestSeal && text.includes('sealed:') && /sealed:(?:[0-9a-f]{32}|masked)/.test(text)
}

const shortestSeal = 'sealed:masked'.length
