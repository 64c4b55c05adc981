import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { isSecretName, looksRandom } from '../model/looks-secret.ts'
import { inKeyOrder, objectOf } from './objects.ts'
import { asText } from './scalars.ts'
import { sealCredentials, sealProse, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'

/**
 * JSON of unknown make: kept as it is, in canonical order, with what looks secret sealed. What lies within a member with
 * a secret's name is secret as well (`{"x-api-key": {"$eq": …}}`).
 */
export function normaliseFree(raw: Json, name: string, sealer: Sealer, isWithinSecret = false): Json {
  if (raw === null || raw === '' || typeof raw === 'boolean') return raw
  const isSecret = isSecretName(name) || (isWithinSecret && !isPlainName(name))
  if (isSecret && isOneSecret(raw)) return sealer.seal(asSecretText(raw))
  if (isExactNumber(raw)) return raw
  if (typeof raw === 'string') {
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(raw)) return sealUrl(raw, sealer)
    if (isIdentifierName(name)) return sealCredentials(raw, sealer)
    return looksRandom(raw) ? sealer.seal(raw) : sealProse(raw, sealer)
  }
  if (Array.isArray(raw)) return raw.map((item) => normaliseFree(item, name, sealer, isSecret))
  if (!isJsonObject(raw)) return raw
  const members = Object.entries(raw).map(([key, value]): [string, Json] => {
    return [sealCredentials(key, sealer), normaliseFree(value, key, sealer, isSecret)]
  })
  return inKeyOrder(objectOf(members))
}

/** What stands beside a secret and is none itself. */
function isPlainName(name: string): boolean {
  return isIdentifierName(name) || /^(name|type|kind)$|_at$/i.test(name)
}

/** A text or number, or the bytes of one; times and flags are none. */
function isOneSecret(raw: Json): boolean {
  if (typeof raw === 'string') return !/^(true|false|\d{4}-\d\d-\d\dT.*)$/.test(raw)
  return typeof raw === 'number' || (Array.isArray(raw) && raw.length > 0 && raw.every(Number.isInteger))
}

/** Identifiers look random and are no secret. */
function isIdentifierName(name: string): boolean {
  return /(^|_)u?ids?$/i.test(name)
}

/** One service account is a base64 text in one release and its bytes in another; both give the same seal. */
export function asSecretText(raw: Json): string {
  if (Array.isArray(raw) && raw.every((byte) => Number.isInteger(byte))) {
    return Buffer.from(raw.map(Number)).toString('base64')
  }
  return asText(raw)
}
