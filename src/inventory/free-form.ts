import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject } from '../model/json.ts'
import { isKnownId } from '../secrets/known-forms.ts'
import { isSecretName, isSecretParameter } from '../secrets/known-secrets.ts'
import { inKeyOrder, objectOf } from './objects.ts'
import { sealProse } from './seal-prose.ts'
import { sealCredentials } from './seal-text.ts'
import { isUrl, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'
import { asSecretText } from './secret-text.ts'

/**
 * Normalises JSON of the user (filters): canonical order, and everything that appears secret sealed, also all that is
 * within a member with a secret's name (`{"x-api-key": {"$eq": …}}`). `names`: `parameters` where they are those of a
 * URL.
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
  const isSecret = says(name) || (isWithinSecret && !isSecretCompanion(name))
  if (isSecret && isOneSecret(raw)) return sealer.seal(asSecretText(raw))
  if (isExactNumber(raw)) return raw
  if (typeof raw === 'string') return normaliseText(raw, name, sealer)
  if (Array.isArray(raw)) return raw.map((item) => normalise(item, name, isSecret, reading))
  if (!isJsonObject(raw)) return raw
  const isNamedSecret = namedSecret(raw, says)
  const members = Object.entries(raw).map(([key, value]): [string, Json] => {
    const name = sealName(key, sealer)
    const saying = isNamedSecret(key) || (name !== key && says(name)) ? 'secret' : key
    return [name, normalise(value, saying, isSecret, reading)]
  })
  return inKeyOrder(objectOf(members))
}

function normaliseText(raw: string, name: string, sealer: Sealer): string {
  if (isUrl(raw)) return sealUrl(raw, sealer)
  return isIdentifierName(name) ? sealCredentials(raw, sealer) : sealProse(raw, sealer)
}

/** Names of members may be secrets themselves (`tokens: {"…": true}`). */
export function sealName(name: string, sealer: Sealer): string {
  return isKnownId(name) ? name : sealProse(name, sealer)
}

/** For `{"name": "X-Api-Key", "value": …}`: whether a member of such an object is the value of a secret. */
export function namedSecret(raw: JsonObject, says: (name: string) => boolean): (key: string) => boolean {
  const names = [raw.name, raw.key, raw.header]
  const isNamed = names.some((name) => typeof name === 'string' && name.length <= 128 && says(name))
  return (key) => isNamed && /^(?:value|val)$/i.test(key)
}

/** Members that go with a secret and are not secret themselves. */
function isSecretCompanion(name: string): boolean {
  return isIdentifierName(name) || /^(name|type|kind)$|_at$/i.test(name)
}

/** A text or number, or the bytes of one; not times and flags. */
function isOneSecret(raw: Json): boolean {
  if (typeof raw === 'string') return !/^(?:true|false|\d{4}-\d\d-\d\dT[\d:.Z+-]{0,40})$/.test(raw)
  return typeof raw === 'number' || (Array.isArray(raw) && raw.length > 0 && raw.every(Number.isInteger))
}

/** Identifiers may appear random but are not secret. */
function isIdentifierName(name: string): boolean {
  return /(?:^|_)u?ids?$/i.test(name)
}
