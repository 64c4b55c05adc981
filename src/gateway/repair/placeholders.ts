import type { JsonObject } from '../../model/json.ts'
import { isSealedWhole, maskedSeal } from '../../model/resource.ts'
import { type BodyObject, bodyOf, type Pieces, type Placeholder } from './pieces.ts'

/** Names the secrets of one body. Equal seals are one secret and share a name. */
export interface Placeholders {
  /** A body in which every seal is a placeholder. */
  fill(body: JsonObject): BodyObject
  /** A placeholder for a value that has no seal. */
  make(name: string): Placeholder
}

/** `taken`: names that mean something else, or that readers of an answer could take for something else. */
export function createPlaceholders(kind: string, taken: Iterable<string>): Placeholders {
  const names = new Set(taken)
  const counts = new Map<string, number>()
  const bySeal = new Map<string, Placeholder>()

  const make = (wanted: string): Placeholder => {
    let count = counts.get(wanted) ?? 1
    const nameAt = (at: number) => (at === 1 ? wanted : `${wanted}_${at}`)
    while (names.has(nameAt(count))) count++
    counts.set(wanted, count + 1)
    names.add(nameAt(count))
    return { name: nameAt(count) }
  }

  const read = (text: string, path: string, is: 'value' | 'name'): Pieces => {
    // With its length: it is one secret.
    if (is === 'value' && isSealedWhole(text)) return [placeholderOf(text, nameOf(kind, path))]
    const parts = text.split(seals)
    if (parts.length === 1) return [text]
    const key = is === 'value' ? path : `${path}/${withoutSeals(text)}`
    const wanted = is === 'value' && text === parts[1] ? nameOf(kind, key) : `${nameOf(kind, key)}_SECRET`
    const pieces = parts.map((part, at) => (at % 2 === 0 ? part : placeholderOf(part, wanted)))
    return pieces.filter((piece) => piece !== '')
  }

  /** Two masked secrets may differ. */
  const placeholderOf = (seal: string, wanted: string): Placeholder => {
    const known = bySeal.get(seal)
    if (known !== undefined) return known
    const made = make(wanted)
    if (!seal.startsWith(maskedSeal)) bySeal.set(seal, made)
    return made
  }

  return { fill: (body) => bodyOf(body, read), make }
}

/**
 * The names that texts of a body spell as answers spell placeholders. They are not free for placeholders, so a reader of
 * an answer mistakes none for one. No request depends on it.
 */
export function namesSpelledIn(body: JsonObject): readonly string[] {
  return [...JSON.stringify(body).matchAll(spelled)].map(([, name = '']) => name)
}

/** A text of the history without its seals, for names and paths that people read. */
export function withoutSeals(text: string): string {
  return text.replace(seals, '…')
}

const spelled = /\$\{([A-Z0-9_]{1,80})\}/g
const seals = /(sealed:(?:[0-9a-f]{32}|masked))/g
const longestName = 64

/** `/authentication/api_key/header_value` of an endpoint: `ENDPOINT_AUTHENTICATION_API_KEY_HEADER_VALUE`. */
export function nameOf(prefix: string, path: string): string {
  const words = `${prefix}/${path}`.toUpperCase().split(/[^A-Z0-9]/)
  const name = words.filter((word) => word !== '').join('_')
  return (/^[A-Z]/.test(name) ? name : `_${name}`).slice(0, longestName)
}
