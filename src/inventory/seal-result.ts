import { isJsonObject, type Json, type JsonObject, objectOf } from '../model/json.ts'
import { sealCode } from './seal-code.ts'
import { normaliseFree } from './seal-json.ts'
import { sealProse } from './seal-text.ts'
import type { Sealer } from './sealer.ts'

/** Seals the results of a function: a value, or words of its log and its errors. */
export interface ResultSealer {
  value(result: Json): Json
  text(words: string): string
}

/**
 * Creates a sealer of results. It seals what appears secret, as in any JSON, and also the secrets of the function and its
 * payload under innocent names.
 */
export function createResultSealer(program: string, payload: JsonObject, sealer: Sealer): ResultSealer {
  const secrets = secretsIn(program, payload)
  const withoutSecrets = (text: string) => secrets.reduce((rest, secret) => seal(rest, secret, sealer), text)
  // Known secrets first: after one was sealed in part, the rest would not be found.
  return {
    value: (result) => normaliseFree(mapTexts(result, withoutSecrets), '', sealer),
    text: (words) => sealProse(withoutSecrets(words), sealer),
  }
}

/** Characters. Shorter ones occur in many texts by chance. */
const shortestFound = 6

/** Longest first: one may contain another. */
function secretsIn(program: string, payload: JsonObject): readonly string[] {
  const found = new Set<string>()
  const listening: Sealer = {
    keyId: '',
    seal(secret) {
      const text = secret.trim()
      if (text.length >= shortestFound) found.add(text)
      return ''
    },
  }
  sealCode(program, listening)
  normaliseFree(payload, '', listening)
  return [...found].sort((a, b) => b.length - a.length)
}

function seal(text: string, secret: string, sealer: Sealer): string {
  return text.includes(secret) ? text.replaceAll(secret, () => sealer.seal(secret)) : text
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isJsonObject(value)) return value
  return objectOf(Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]))
}
