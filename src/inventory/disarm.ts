import { isJsonObject, type Json } from '../model/json.ts'
import { objectOf } from './objects.ts'
import type { Sealer } from './sealer.ts'

/**
 * Seals every text from a service that looks like a seal: otherwise it would pass for one and stay as it is. Returns
 * the value itself if there is none, which is the usual case.
 */
export function disarm(raw: Json, sealer: Sealer): Json {
  if (typeof raw === 'string') return disarmText(raw, sealer)
  if (typeof raw !== 'object' || raw === null || !containsSealLike(raw)) return raw
  if (!isJsonObject(raw)) return raw.map((item) => disarm(item, sealer))
  return objectOf(Object.entries(raw).map(([key, value]) => [disarmText(key, sealer), disarm(value, sealer)]))
}

export function disarmText(text: string, sealer: Sealer): string {
  return isSealLike(text) ? sealAsSent(text, sealer) : text
}

/** The seal of a text, even of one that is written like a seal. */
export function sealAsSent(text: string, sealer: Sealer): string {
  return sealer.seal(`as sent: ${text}`)
}

function containsSealLike(raw: Json): boolean {
  if (typeof raw === 'string') return isSealLike(raw)
  if (typeof raw !== 'object' || raw === null) return false
  if (!isJsonObject(raw)) return raw.some(containsSealLike)
  for (const key in raw) if (isSealLike(key) || containsSealLike(raw[key] ?? null)) return true
  return false
}

function isSealLike(text: string): boolean {
  return text.length >= shortestSeal && text.includes('sealed:') && /sealed:(?:[0-9a-f]{32}|masked)/.test(text)
}

const shortestSeal = 'sealed:masked'.length
