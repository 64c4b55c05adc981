import { isJsonObject, type Json, pointerStep, setOwn } from '../model/json.ts'
import { maskedSeal } from '../model/resource.ts'

/** A value that the history does not have, to be filled in as `${NAME}` before a request is sent. */
export interface Placeholder {
  /** Letters, digits and `_`: the name of a variable in a shell. */
  readonly name: string
  /** JSON Pointer into the body. */
  readonly path: string
}

export interface Placeholders {
  /** A value of a body at a path, in which every seal is a placeholder. */
  fill(value: Json, path: string): Json
  /** A placeholder in place of the whole value at a path. */
  make(name: string, path: string): string
  /** Each once, in the order of the body. */
  list(): readonly Placeholder[]
}

/**
 * Names the secrets of one body. Equal seals are one secret and share a name. `literal`: all texts that the body may
 * contain; none of them has a name in it, so every `${NAME}` of the body is a placeholder.
 */
export function createPlaceholders(kind: string, literal: string): Placeholders {
  const made = new Map<string, Placeholder>()
  const isTaken = (name: string) =>
    literal.includes(reference(name)) || [...made.values()].some((placeholder) => placeholder.name === name)

  const make = (wanted: string, path: string, key: string) => {
    const known = made.get(key)
    if (known !== undefined) return reference(known.name)
    let name = wanted
    for (let count = 2; isTaken(name); count++) name = `${wanted}_${count}`
    made.set(key, { name, path })
    return reference(name)
  }

  const fillText = (text: string, path: string): string => {
    const pieces = text.split(seals)
    if (pieces.length === 1) return text
    const wanted = pieces.length === 3 && text === pieces[1] ? nameOf(kind, path) : `${nameOf(kind, path)}_SECRET`
    return pieces
      .map((piece, at) => (at % 2 === 0 ? piece : make(wanted, path, piece === maskedSeal ? `${path} ${at}` : piece)))
      .join('')
  }

  const fill = (value: Json, path: string): Json => {
    if (typeof value === 'string') return fillText(value, path)
    if (Array.isArray(value)) return value.map((item: Json, at) => fill(item, `${path}/${at}`))
    if (!isJsonObject(value)) return value
    const filled: Record<string, Json> = {}
    for (const [key, member] of Object.entries(value)) {
      const name = fillText(key, `${path}/${pointerStep(withoutSeals(key))}`)
      setOwn(filled, name, fill(member, `${path}/${pointerStep(name)}`))
    }
    return filled
  }

  return { fill, make: (name, path) => make(name, path, `made ${path}`), list: () => [...made.values()] }
}

/** How a placeholder is written in a body, a header or an address. */
export function reference(name: string): string {
  return `\${${name}}`
}

/** A text of the history without its seals, for names and paths that people read. */
export function withoutSeals(text: string): string {
  return text.replace(seals, '…')
}

const seals = /(sealed:(?:[0-9a-f]{32}|masked))/g
const longestName = 64

/** `/authentication/api_key/header_value` of an endpoint: `ENDPOINT_AUTHENTICATION_API_KEY_HEADER_VALUE`. */
export function nameOf(prefix: string, path: string): string {
  const words = `${prefix}/${path}`.toUpperCase().split(/[^A-Z0-9]/)
  const name = words.filter((word) => word !== '').join('_')
  return (/^[A-Z]/.test(name) ? name : `_${name}`).slice(0, longestName)
}
