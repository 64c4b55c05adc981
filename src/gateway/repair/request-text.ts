import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { AuditError, messageOf } from '../../model/errors.ts'
import { isJsonObject } from '../../model/json.ts'
import { parseJson } from '../service/parse-json.ts'
import { type BodyObject, bodyOf, type Pieces, type Placeholder } from './pieces.ts'

const mostBytes = 16 * 1024 * 1024

/** What to give where a part of a request is in a file, or comes from a program. */
export const inText = 'hookdrift runs and reads nothing: put the body into the text, or give the request as JSON'

/**
 * The text of a request that a person wrote. It may hold keys anywhere, so no fault quotes it: a fault says where it is,
 * and what.
 */
export class RequestText {
  /** Without a byte order mark; every line ends with `\n` alone. */
  readonly text: string
  readonly #name: string

  /** @throws AuditError.usage where it is not the text of a request */
  constructor(given: string | Buffer, name: string) {
    this.#name = name
    const bytes = typeof given === 'string' ? Buffer.byteLength(given) : given.length
    if (bytes > mostBytes) throw AuditError.usage(`${name}: it is larger than 16 MiB, the limit`)
    if (typeof given === 'string' ? !given.isWellFormed() : !isUtf8(given)) {
      throw AuditError.usage(`${name}: it is not UTF-8`, { advice: 'save it in that encoding' })
    }
    const text = typeof given === 'string' ? given : given.toString('utf8')
    this.text = (text.startsWith('\ufeff') ? text.slice(1) : text).replaceAll('\r\n', '\n')
    const nul = this.text.indexOf('\0')
    if (nul >= 0) throw this.fault(nul, 'a NUL: it is not text, or not in UTF-8', 'save it in that encoding')
  }

  /** The same text without what is behind an index. */
  upTo(end: number): RequestText {
    return new RequestText(this.text.slice(0, end), this.#name)
  }

  /** `file:line:column` of an index of the text. */
  positionOf(at: number): string {
    const before = this.text.slice(0, at)
    return `${this.#name}:${before.split('\n').length}:${at - before.lastIndexOf('\n')}`
  }

  /** The fault at an index of the text. Its texts do not quote the text. */
  fault(at: number, text: string, advice?: string): AuditError {
    return AuditError.usage(`${this.positionOf(at)}: ${text}`, { advice })
  }
}

/** Parses JSON of a request that begins at an index of the text, or a few characters of quotes behind it. */
export function parseJsonAt(source: RequestText, at: number, json: string, advice?: string): unknown {
  const parsed = parseJson(Buffer.from(json))
  if (parsed.ok) return parsed.value
  const from = [0, 1, 2, 3, 4].map((quotes) => at + quotes).find((index) => source.text.startsWith(json, index))
  const fault = from === undefined ? at : from + faultIndex(json)
  throw source.fault(fault, `the request's JSON: ${parsed.reason}`, advice)
}

/** Where JSON is malformed, as far as Node's own parser says it without the text; else 0. */
function faultIndex(json: string): number {
  try {
    JSON.parse(json)
    return 0
  } catch (thrown) {
    const [, index = '0'] =
      / in JSON at position (\d{1,9}) \(line \d{1,9} column \d{1,9}\)$/.exec(messageOf(thrown)) ?? []
    return Number(index)
  }
}

/** Pieces as one text, in which a NUL is each placeholder: no text of a request has one. */
export function flatten(pieces: Pieces): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : '\0')).join('')
}

/** The pieces of a part of what `flatten` made of pieces: `part` begins behind `skipped`. */
function piecesOf(pieces: Pieces, skipped: string, part: string): Pieces {
  const placeholders = pieces.filter((piece) => typeof piece !== 'string').slice(skipped.split('\0').length - 1)
  const parts: (string | Placeholder)[] = part.split('\0').flatMap((text, at) => {
    const placeholder = at === 0 ? undefined : placeholders[at - 1]
    return placeholder === undefined ? [text] : [placeholder, text]
  })
  return parts.filter((piece) => piece !== '')
}

/** @throws AuditError.usage where the body is not a JSON object that `parseJson` takes; undefined where it is empty */
export function readBody(source: RequestText, at: number, pieces: Pieces): BodyObject | undefined {
  // No text can contain it. It ends a text in JSON: the escape `\h` does not exist.
  const mark = `h${randomUUID()}:`
  const placeholders: Placeholder[] = []
  const text = pieces
    .map((piece) => (typeof piece === 'string' ? piece : `${mark}${placeholders.push(piece) - 1};`))
    .join('')
  const first = text.trimStart().at(0)
  if (first === undefined) return undefined
  if (first !== '{') {
    throw source.fault(at, 'the body is not a JSON object, and the gateway takes nothing else', inText)
  }
  if (!text.isWellFormed()) throw source.fault(at, "the request's JSON: half a surrogate pair")
  const advice = placeholders.length === 0 ? undefined : 'a variable may be a text or a part of one, within its quotes'
  const value = parseJsonAt(source, at, text, advice)
  // It begins with `{`.
  if (!isJsonObject(value)) throw new Error('unreachable')
  return bodyOf(value, (marked) => {
    const [head = '', ...parts] = marked.split(mark)
    const rest = parts.flatMap((part) => {
      const end = part.indexOf(';')
      return [placeholders[Number(part.slice(0, end))] ?? '', part.slice(end + 1)]
    })
    return [head, ...rest].filter((piece) => piece !== '')
  })
}

/** A request as one of its forms has it. */
export interface RequestParts extends RequestAddress {
  readonly method: { readonly at: number; readonly name: Pieces }
  readonly addressAt: number
  readonly version: string | null
  readonly body: BodyObject | undefined
}

/** What an address says. */
export interface RequestAddress {
  /** `host[:port]` as `URL` spells it; null where it has none, or a placeholder. */
  readonly host: string | null
  readonly path: Pieces
}

/**
 * Reads an address, and drops userinfo, query and fragment at once.
 * @throws AuditError.usage
 */
export function readAddress(source: RequestText, at: number, pieces: Pieces): RequestAddress {
  const flat = flatten(pieces)
  const end = flat.search(/[?#]/)
  const address = end < 0 ? flat : flat.slice(0, end)
  if (/[\u0001-\u0020"<>\\^`|\u007f]/.test(address)) {
    throw source.fault(at, 'the address has a character that no address has', 'write it percent-encoded')
  }
  const [scheme = ''] = /^[A-Za-z][A-Za-z0-9+.-]{0,30}:\/\//.exec(address) ?? []
  if (!['', 'http://', 'https://'].includes(scheme.toLowerCase())) {
    throw source.fault(at, 'the address is not one of HTTP', 'begin it with https://')
  }
  const slash = address.indexOf('/', scheme.length)
  const begin = slash < 0 ? address.length : slash
  const authority = address.slice(scheme.length, begin)
  const path = address.slice(begin)
  if (/[{}[\]]/.test(path)) {
    throw source.fault(
      at,
      'the address has a brace or a bracket',
      'name one resource; percent-encode what belongs to it',
    )
  }
  const host = authority === '' ? null : readHost(source, at, `${scheme || 'http://'}${authority}`)
  if (authority === '' && scheme !== '') throw source.fault(at, 'the address has no host')
  return { host, path: path === '' ? ['/'] : piecesOf(pieces, address.slice(0, begin), path) }
}

/** `host[:port]` of an address without a path; null where a placeholder is a part of it. */
export function readHost(source: RequestText, at: number, origin: string): string | null {
  const userinfo = origin.lastIndexOf('@')
  const bare = userinfo < 0 ? origin : `${origin.slice(0, origin.indexOf('//') + 2)}${origin.slice(userinfo + 1)}`
  if (bare.includes('\0')) return null
  const host = URL.parse(bare)?.host ?? ''
  if (host === '') throw source.fault(at, 'the host of the address is not valid')
  return host
}
