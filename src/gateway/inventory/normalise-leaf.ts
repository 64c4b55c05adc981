import { X509Certificate } from 'node:crypto'
import { isExactNumber } from '../../model/exact-number.ts'
import { isEmpty, type Json } from '../../model/json.ts'
import { isVocabulary } from '../../model/secrets/harmless-text.ts'
import type { Leaf } from '../fields.ts'
import { isNotText } from './malformed.ts'
import { asFlag, asNumber, asSeconds, asSecretText, asText, asTime, isInstant } from './scalars.ts'
import { sealCode } from './seal-code.ts'
import { disarm, holdsSeal, normaliseFree, sealSchema, sealWithin } from './seal-json.ts'
import { sealBehindHost, sealIdentifier, sealProse, sealUrl, sealWords } from './seal-text.ts'
import { isSeal, longestText, type Sealer } from './sealer.ts'

/** The normal form of a value as a service sends it: what is spelt like a seal there is none. */
export function normaliseSent(field: Leaf, raw: Json, name: string, sealer: Sealer): Json {
  if (field.type === 'prose' && typeof raw === 'string' && !isExactNumber(raw)) return sealProse(raw, sealer)
  if (field.type === 'free' && field.isProse === true) return sealSchema(raw, name, sealer)
  return normaliseLeaf(field, disarm(raw, sealer), name, sealer)
}

/**
 * The normal form of a value that is not empty, with its secrets sealed. Normalising it again changes nothing. An
 * object in place of a text or a number stays an object, with everything in it sealed. A number or a flag in place of a
 * text stays too; where that could be a secret, a list of its seal takes its place. So a value shows later, too, that it
 * breaks the contract.
 */
export function normaliseLeaf(field: Leaf, raw: Json, name: string, sealer: Sealer): Json {
  switch (field.type) {
    case 'secret':
      return sealSecret(raw, field.isAnything === true, sealer)
    case 'set':
      return listOf(raw, (item) => sealWords(item, sealer)) ?? sealOddList(raw, sealer)
    case 'addresses':
      return listOf(raw, (item) => sealUrl(item, sealer)) ?? sealOddList(raw, sealer)
    case 'free':
      return field.isProse === true && !holdsSeal(raw)
        ? sealSchema(raw, name, sealer)
        : normaliseFree(raw, name, sealer, field.names)
  }
  if (typeof raw === 'object') return isSealInList(raw) ? raw : listed(sealWithin(raw, sealer))
  switch (field.type) {
    case 'integer':
      return onlyNumber(asNumber(raw), sealer)
    case 'seconds':
      return onlyNumber(asSeconds(raw), sealer)
    case 'flag':
      return onlyFlag(asFlag(raw), sealer)
    case 'time':
      return onlyTime(asTime(asText(raw)), sealer)
    case 'text':
    case 'word':
    case 'certificate':
    case 'name':
    case 'prose':
    case 'code':
    case 'url':
    case 'secret-url': {
      const text = asText(raw)
      const normalised = normaliseText(field, text, sealer)
      if (!isNotText(raw)) return normalised
      return normalised === text ? raw : [sealer.seal(text)]
    }
  }
}

function normaliseText(field: TextLeaf, text: string, sealer: Sealer): string {
  switch (field.type) {
    case 'text':
      return sealIdentifier(text, sealer)
    case 'word':
      return sealUnlessWord(text, field.values ?? [], sealer)
    case 'certificate':
      return sealCertificate(text, sealer)
    case 'name':
      return sealWords(text, sealer)
    case 'prose':
      // An earlier version sealed parts of it: what the whole was is not known any longer.
      return holdsSeal(text) ? sealWords(text, sealer) : sealProse(text, sealer)
    case 'code':
      return sealCode(text, sealer)
    case 'url':
      return sealUrl(text, sealer)
    case 'secret-url':
      return sealBehindHost(text, sealer)
  }
}

type TextLeaf = Extract<
  Leaf,
  { type: 'text' | 'word' | 'certificate' | 'name' | 'prose' | 'code' | 'url' | 'secret-url' }
>

/** A text, or the bytes of one; anything else breaks the contract, and shows that. */
function sealSecret(raw: Json, isAnything: boolean, sealer: Sealer): Json {
  const isOne = !isNotText(raw) || (Array.isArray(raw) && raw.length > 0 && raw.every(Number.isInteger))
  if (isAnything || isOne) return sealer.seal(asSecretText(raw))
  return isSealInList(raw) || isEmpty(raw) ? raw : [sealer.seal(asSecretText(raw))]
}

/** What should be a list of texts and is not: sealed, it must not pass for one, nor for a text, which is a list of one. */
function sealOddList(raw: Json, sealer: Sealer): Json {
  const sealed = sealWithin(raw, sealer)
  if (typeof sealed === 'string') return [[sealed]]
  return Array.isArray(sealed) && !sealed.some(isNotText) ? [sealed] : sealed
}

/** The seal of an object or a list must not pass for a text. */
function listed(sealed: Json): Json {
  return typeof sealed === 'string' ? [sealed] : sealed
}

function isSealInList(raw: Json): boolean {
  const [only, ...others] = Array.isArray(raw) ? raw : []
  return typeof only === 'string' && isSeal(only) && others.length === 0
}

/** An unknown value stays, if it looks like one. */
function sealUnlessWord(text: string, values: readonly string[], sealer: Sealer): string {
  return values.includes(text) || isVocabulary(text) ? text : sealer.seal(text)
}

/** A sorted set; a single text is a set of one. undefined for anything else. */
function listOf(raw: Json, change: (item: string) => string): Json[] | undefined {
  if (typeof raw === 'string') return isExactNumber(raw) ? undefined : [change(raw)]
  if (!Array.isArray(raw) || raw.some(isNotText)) return undefined
  return raw.map((item) => change(asText(item))).sort()
}

function onlyNumber(value: Json, sealer: Sealer): Json {
  return typeof value === 'string' && !isExactNumber(value) ? sealer.seal(value) : value
}

/** `"TRUE"` and `1` reveal nothing, and show how the service wrote the flag. */
function onlyFlag(value: Json, sealer: Sealer): Json {
  return typeof value === 'string' && !/^(?:true|false|yes|no|on|off)$/i.test(value) ? sealer.seal(value) : value
}

/** Instants, and texts in the form of one. */
function onlyTime(value: Json, sealer: Sealer): Json {
  if (typeof value !== 'string' || isInstant(value) || isSeal(value)) return value
  return value.length < longestText && /^\d{4}-\d\d-\d\d[T \d:.,+Z-]{0,40}$/.test(value) ? value : sealer.seal(value)
}

/** Splits a text into certificates, at the odd indexes, and the text between them. */
const certificates = /(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s\\]+-----END CERTIFICATE-----)/

/** A certificate is public and appears random. Any other text in its field is sealed: it may be the private key. */
function sealCertificate(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  const parts = text.split(certificates)
  const isOther = (part: string, index: number) => index % 2 === 0 && part.trim() !== ''
  if (!parts.some(isOther) || isEncodedCertificate(text)) return text
  if (parts.length === 1) return sealer.seal(text)
  return parts.map((part, index) => (isOther(part, index) ? sealer.seal(part.trim()) : part)).join('\n')
}

/** In Base64, as some services keep it. */
function isEncodedCertificate(text: string): boolean {
  const bare = text.trim()
  if (!/^[A-Za-z0-9+/]{64,}={0,2}$/.test(bare.replace(/\s/g, ''))) return false
  try {
    return new X509Certificate(Buffer.from(bare, 'base64')).subject !== undefined
  } catch {
    return false
  }
}
