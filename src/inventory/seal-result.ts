import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { normaliseFree } from './free-form.ts'
import { objectOf } from './objects.ts'
import { sealCode } from './seal-code.ts'
import { sealProse } from './seal-text.ts'
import type { Sealer } from './sealer.ts'

/** Seals what a function gave back: a value, or words of its log and its errors. */
export interface ResultSealer {
  value(result: Json): Json
  text(words: string): string
}

/**
 * What looks secret in a result is sealed as in any JSON; what looked secret in the function or in its payload also
 * where it turns up under an innocent name.
 */
export function createResultSealer(program: string, payload: JsonObject, sealer: Sealer): ResultSealer {
  const secrets = secretsIn(program, payload)
  const withoutSecrets = (text: string) => secrets.reduce((rest, secret) => seal(rest, secret, sealer), text)
  // What is known goes first: of a secret that was sealed in part, the rest would not be found again.
  return {
    value: (result) => normaliseFree(mapTexts(result, withoutSecrets), '', sealer),
    text: (words) => sealProse(withoutSecrets(words), sealer),
  }
}

/** Characters. What is shorter stands in many a text by chance. */
const shortestFound = 6

/** Longest first: one may hold another. */
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
