import { isExactNumber } from '../model/exact-number.ts'
import { isJsonObject, type Json } from '../model/json.ts'
import { isHarmless } from '../secrets/harmless-text.ts'
import { mayNameSecret } from '../secrets/known-secrets.ts'
import { disarm, disarmText } from './disarm.ts'
import { namedSecret, sealName } from './free-form.ts'
import { maskingSealer } from './masking-sealer.ts'
import { inKeyOrder, objectOf } from './objects.ts'
import { isUrl, sealBehindHost, sealUrl } from './seal-url.ts'
import { isSeal, type Sealer } from './sealer.ts'
import { asSecretText } from './secret-text.ts'

/** Normalises a member that the contract does not have: with `isGuarded`, all of it is sealed. */
export function normaliseExtra(raw: Json, name: string, isGuarded: boolean, sealer: Sealer): Json {
  const shown = disarm(raw, sealer)
  return isGuarded ? sealWithin(shown, sealer) : normaliseUnknown(shown, name, sealer)
}

/** Whether the name of such a member is kept; which ones are does not depend on the key of a sealer. */
export function keepsName(name: string, isGuarded: boolean): boolean {
  return disarmText(name, maskingSealer) === name && sealExtraName(name, isGuarded, maskingSealer) === name
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

const longestName = 40

/** `discord_webhook_url`: the address alone allows to post. */
function isAddressOfChat(name: string): boolean {
  return /webhook/i.test(name) && /ur[li]|address|link/i.test(name)
}
