import { canonicalJson } from '../../model/canonical-json.ts'
import { isExactNumber } from '../../model/exact-number.ts'
import { inKeyOrder, isEqual, isJsonObject, type Json, type JsonObject, objectOf } from '../../model/json.ts'
import { isHarmless } from '../../model/secrets/harmless-text.ts'
import { isUlidOrUuid } from '../../model/secrets/identifier-forms.ts'
import { isSecretName, isSecretParameter, mayNameSecret } from '../../model/secrets/known-secrets.ts'
import { asSecretText } from './scalars.ts'
import { isUrl, sealBehindHost, sealIdentifier, sealUrl, sealWhole, sealWords } from './seal-text.ts'
import { holdsKnown, isSeal, isSealLike, type Sealer, sealAsSent, sealKnown } from './sealer.ts'

/**
 * Normalises JSON of the user (filters): canonical order, and everything that appears secret sealed, also all that is
 * within a member with a secret's name (`{"x-api-key": {"$eq": …}}`). `names`: `parameters` where they are those of a
 * URL.
 */
export function normaliseFree(raw: Json, name: string, sealer: Sealer, names?: 'parameters'): Json {
  return normalise(raw, name, false, { sealer, says: names === undefined ? isSecretName : isSecretParameter })
}

/** JSON for people to read: as it is, or sealed whole if anything in it would be sealed. What is not an object stays none. */
export function sealSchema(raw: Json, name: string, sealer: Sealer): Json {
  const sealed = normaliseFree(disarm(raw, sealer), name, sealer)
  if (isEqual(sealed, raw)) return sealed
  const whole = sealWhole(canonicalJson(raw), sealer)
  return isJsonObject(raw) ? whole : [whole]
}

/** Whether any text in a value of the history, or a name of a member, has a seal in it. */
export function holdsSeal(value: Json): boolean {
  return someText(value, isSealLike)
}

/** Names of members may be secrets themselves (`tokens: {"…": true}`). */
export function sealName(name: string, sealer: Sealer): string {
  return isUlidOrUuid(name) ? name : sealWords(name, sealer)
}

/** For `{"name": "X-Api-Key", "value": …}`: whether a member of such an object is the value of a secret. */
function namedSecret(raw: JsonObject, says: (name: string) => boolean): (key: string) => boolean {
  const names = [raw.name, raw.key, raw.header]
  const isNamed = names.some((name) => typeof name === 'string' && name.length <= 128 && says(name))
  return (key) => isNamed && /^(?:value|val)$/i.test(key)
}

/** Normalises a member that the contract does not have: with `isGuarded`, all of it is sealed. */
export function normaliseExtra(raw: Json, name: string, isGuarded: boolean, sealer: Sealer): Json {
  const disarmed = disarm(raw, sealer)
  return isGuarded ? sealWithin(disarmed, sealer) : normaliseUnknown(disarmed, name, sealer)
}

export function sealExtraName(name: string, isGuarded: boolean, sealer: Sealer): string {
  return isGuarded ? sealMemberName(name, sealer) : sealName(name, sealer)
}

/**
 * Normalises a field that the contract does not have: in canonical order, and sealed unless it is plain (short words,
 * numbers, flags, times, known forms of ids, addresses by the rule of addresses). Under a name that may mean a secret,
 * only flags stay.
 */
export function normaliseUnknown(raw: Json, name: string, sealer: Sealer): Json {
  if (isAddressOfChat(name) && typeof raw === 'string') return sealBehindHost(raw, sealer)
  return mayNameSecret(name) ? sealWithin(raw, sealer) : normalisePlain(raw, sealer)
}

/** Seals everything within a value, and names of members unless they are plain. Flags and empty values stay. */
export function sealWithin(raw: Json, sealer: Sealer): Json {
  if (raw === null || raw === '' || typeof raw === 'boolean') return raw
  if (Array.isArray(raw) && !raw.every(Number.isInteger)) return raw.map((item) => sealWithin(item, sealer))
  if (isJsonObject(raw)) {
    const members = Object.entries(raw).map(([key, value]): [string, Json] => {
      return [sealMemberName(key, sealer), sealWithin(value, sealer)]
    })
    return inKeyOrder(objectOf(members))
  }
  return Array.isArray(raw) && raw.length === 0 ? raw : sealer.seal(asSecretText(raw))
}

/** For objects with secrets: a name that does not look like a name may be one of them. */
export function sealMemberName(name: string, sealer: Sealer): string {
  return name.length <= longestName && isHarmless(name) ? name : sealer.seal(name)
}

/**
 * Seals every text from a service that looks like a seal: otherwise it would pass for one and stay as it is. Also seals
 * the secrets of the configuration. Returns the value itself if there is none, which is the usual case.
 */
export function disarm(raw: Json, sealer: Sealer): Json {
  const isArmed = (text: string) => isSealLike(text) || holdsKnown(text, sealer)
  return someText(raw, isArmed) ? mapTexts(raw, (text) => disarmText(text, sealer)) : raw
}

export function disarmText(text: string, sealer: Sealer): string {
  return isSealLike(text) ? sealAsSent(text, sealer) : sealKnown(text, sealer)
}

/** Changes every text in a value, and every name of a member. */
export function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  if (!isJsonObject(value)) return value
  return objectOf(Object.entries(value).map(([key, member]) => [change(key), mapTexts(member, change)]))
}

function normalise(
  raw: Json,
  name: string,
  isWithinSecret: boolean,
  reading: { readonly sealer: Sealer; readonly says: (name: string) => boolean },
): Json {
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
  return isIdentifierName(name) ? sealIdentifier(raw, sealer) : sealWords(raw, sealer)
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

function normalisePlain(raw: Json, sealer: Sealer): Json {
  if (isExactNumber(raw)) return raw
  if (typeof raw === 'string') {
    if (isUrl(raw)) return sealUrl(raw, sealer)
    return isHarmless(raw) || isSeal(raw) ? raw : sealer.seal(raw)
  }
  if (Array.isArray(raw)) {
    // A row of numbers may be the bytes of a key.
    return raw.length >= 16 && raw.every(Number.isInteger)
      ? sealer.seal(asSecretText(raw))
      : raw.map((item) => normalisePlain(item, sealer))
  }
  if (!isJsonObject(raw)) return raw
  const isNamedSecret = namedSecret(raw, mayNameSecret)
  const members = Object.entries(raw).map(([key, value]): [string, Json] => {
    const named = sealName(key, sealer)
    const isSecret = isNamedSecret(key) || (named !== key && mayNameSecret(named))
    return [named, isSecret ? sealWithin(value, sealer) : normaliseUnknown(value, key, sealer)]
  })
  return inKeyOrder(objectOf(members))
}

const longestName = 40

/** `discord_webhook_url`: the address alone allows to post. */
function isAddressOfChat(name: string): boolean {
  return /webhook/i.test(name) && /ur[li]|address|link/i.test(name)
}

function someText(raw: Json, is: (text: string) => boolean): boolean {
  if (typeof raw === 'string') return is(raw)
  if (typeof raw !== 'object' || raw === null) return false
  if (!isJsonObject(raw)) return raw.some((item) => someText(item, is))
  for (const key in raw) if (is(key) || someText(raw[key] ?? null, is)) return true
  return false
}
