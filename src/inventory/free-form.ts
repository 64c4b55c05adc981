import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { isKnownId } from '../model/known-forms.ts'
import { isSecretName, isSecretParameter } from '../model/looks-secret.ts'
import { inKeyOrder, objectOf } from './objects.ts'
import { sealCredentials, sealProse, sealRandom } from './seal-text.ts'
import { isUrl, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { asSecretText } from './secret-text.ts'

/**
 * JSON of the user's own making (filters): kept as it is, in canonical order, with what looks secret sealed. What lies within
 * a member with a secret's name is secret as well (`{"x-api-key": {"$eq": …}}`). `names`: where they are those of a URL.
 */
export function normaliseFree(raw: Json, name: string, sealer: Sealer, names?: 'parameters'): Json {
  return normalise(raw, name, false, { sealer, says: names === undefined ? isSecretName : isSecretParameter })
}

interface Reading {
  readonly sealer: Sealer
  readonly says: (name: string) => boolean
}

function normalise(raw: Json, name: string, isWithinSecret: boolean, reading: Reading): Json {
  const { sealer, says } = reading
  if (raw === null || raw === '' || typeof raw === 'boolean') return raw
  const isSecret = says(name) || (isWithinSecret && !isBesideSecret(name))
  if (isSecret && isOneSecret(raw)) return sealer.seal(asSecretText(raw))
  if (isExactNumber(raw)) return raw
  if (typeof raw === 'string') return normaliseText(raw, name, sealer)
  if (Array.isArray(raw)) return raw.map((item) => normalise(item, name, isSecret, reading))
  if (!isJsonObject(raw)) return raw
  const isNamedSecret = namedSecret(raw, says)
  const members = Object.entries(raw).map(([key, value]): [string, Json] => {
    return [sealName(key, sealer), normalise(value, isNamedSecret(key) ? 'secret' : key, isSecret, reading)]
  })
  return inKeyOrder(objectOf(members))
}

function normaliseText(raw: string, name: string, sealer: Sealer): string {
  if (isUrl(raw)) return sealUrl(raw, sealer)
  return isIdentifierName(name) ? sealCredentials(raw, sealer) : sealProse(raw, sealer)
}

/** Names of members may be secrets themselves (`tokens: {"…": true}`). */
export function sealName(name: string, sealer: Sealer): string {
  return isKnownId(name) ? name : sealRandom(sealCredentials(name, sealer), sealer)
}

/** `{"name": "X-Api-Key", "value": …}`: whether a member of such an object is what the name says to be secret. */
export function namedSecret(raw: JsonObject, says: (name: string) => boolean): (key: string) => boolean {
  const names = [raw.name, raw.key, raw.header]
  const isNamed = names.some((name) => typeof name === 'string' && name.length <= 128 && says(name))
  return (key) => isNamed && /^(?:value|val)$/i.test(key)
}

/** What stands beside a secret and is none itself. */
function isBesideSecret(name: string): boolean {
  return isIdentifierName(name) || /^(name|type|kind)$|_at$/i.test(name)
}

/** A text or number, or the bytes of one; times and flags are none. */
function isOneSecret(raw: Json): boolean {
  if (typeof raw === 'string') return !/^(?:true|false|\d{4}-\d\d-\d\dT[\d:.Z+-]{0,40})$/.test(raw)
  return typeof raw === 'number' || (Array.isArray(raw) && raw.length > 0 && raw.every(Number.isInteger))
}

/** Identifiers may look random and are no secret. */
function isIdentifierName(name: string): boolean {
  return /(?:^|_)u?ids?$/i.test(name)
}
