import { displayText, isExactNumber } from '../../model/exact-number.ts'
import { isJsonObject, type Json, type JsonObject, pointerStep } from '../../model/json.ts'
import { type BodyObject, bodyOf, type Pieces, reference } from './pieces.ts'
import { readCurl } from './read-curl.ts'
import { readHttp, requestLine } from './read-http.ts'
import { type RequestHeaders, readHeader } from './request-headers.ts'
import { flatten, parseJsonAt, type RequestParts, RequestText, readAddress } from './request-text.ts'
import { lineEnd } from './split-command.ts'

const writeMethods = ['POST', 'PUT', 'DELETE', 'PATCH'] as const

/** A request that a person means to send to a gateway. It has nothing of the headers and of the address that may be a key. */
export interface WriteRequest {
  readonly method: (typeof writeMethods)[number]
  /** `host[:port]` in lower case, without the port that the scheme means; null where the text does not say it. */
  readonly host: string | null
  /** From the first slash on, percent-encoded as written, without query and fragment. */
  readonly path: Pieces
  /** The version of the interface that a header asks for, such as `2025-11-24`. */
  readonly version: string | null
  /** Undefined where it is left out or empty. Secrets are in it as they are written. */
  readonly body: BodyObject | undefined
  /** `file:line:column` of the address, for messages. */
  readonly position: string
}

const forms =
  'give one curl command, one HTTP request (`PUT /api/v1/… HTTP/1.1`, headers, a blank line, the body), JSON with `method`, `url` and `body`, or what `hookdrift restore --format json` prints'

/**
 * Reads one write request from a text in any of its forms. Nothing is run, and no file and no variable is read.
 * @throws AuditError.usage as `file:line:column`, without any of the text but words that are known
 */
export function readRequest(given: string | Buffer, name: string): WriteRequest {
  const source = new RequestText(given, name)
  const { method, addressAt, host, path, version, body } = readForm(source)
  return {
    method: readMethod(source, method.at, flatten(method.name)),
    host,
    path,
    version,
    body,
    position: source.positionOf(addressAt),
  }
}

function readForm(source: RequestText): RequestParts {
  const { text } = source
  const from = beginOf(text)
  if (from >= text.length) throw source.fault(0, 'the text is empty', forms)
  if (text[from] === '{') return readJson(source, from)
  if (/^As of run \d/.test(text)) return readPrinted(source)
  if (text[from] === '[') throw source.fault(from, 'a list of several requests', 'give one of them')
  const command = /^(?:\$[ \t]{1,9})?(?=curl(?:\.exe)?[ \t\n\\])/.exec(text.slice(from, from + 40))
  if (command !== null) return readCurl(source, from + command[0].length)
  if (requestLine.test(text.slice(from, lineEnd(text, from)))) return readHttp(source, from)
  throw source.fault(from, 'this is not a request', forms)
}

/** Reads the one command of what `hookdrift restore` prints for people: a line that begins with it, to a blank line. */
function readPrinted(source: RequestText): RequestParts {
  const [before = '', command, ...others] = source.text.split(/^(?=curl )/m)
  if (command === undefined) throw source.fault(0, 'the answer has no request', forms)
  if (others.length > 0) throw source.fault(0, 'the answer has several requests', 'give one of its commands')
  const [end] = command.split('\n\n', 1)
  return readCurl(source.upTo(before.length + (end ?? command).length), before.length)
}

/** The index behind blanks, comments, and the variables of an editor's file. */
function beginOf(text: string): number {
  let at = 0
  while (at < text.length) {
    const isBlank = ' \t\n'.includes(text.charAt(at))
    if (!isBlank && !/^(?:#|\/\/|@)/.test(text.slice(at, at + 2))) return at
    at = isBlank ? at + 1 : lineEnd(text, at)
  }
  return at
}

function readMethod(source: RequestText, at: number, name: string): WriteRequest['method'] {
  const method = writeMethods.find((known) => known === name)
  if (method !== undefined) return method
  if (['GET', 'HEAD', 'OPTIONS'].includes(name)) throw source.fault(at, `not a write: a ${name} changes nothing`, forms)
  const names = writeMethods.join(', ')
  throw source.fault(at, name.includes('\0') ? 'the method is a variable' : 'the method is not known', `write ${names}`)
}

/** Reads a request as JSON, a row of `hookdrift restore`, or its answer with one row. */
function readJson(source: RequestText, at: number): RequestParts {
  const request = requestIn(source, at, parseJsonAt(source, at, source.text.slice(at)))
  const placeholders = readPlaceholders(source, at, request)
  const { method, url, path, headers = null, body = null } = request
  const { length, 0: address } = [url, path].filter((value) => typeof value === 'string')
  if (typeof method !== 'string' || address === undefined) {
    throw source.fault(
      at,
      'the object has no `method`, or no `url`',
      `a body alone does not say what it is sent to: ${forms}`,
    )
  }
  if (length > 1) throw source.fault(at, 'the object has a `url` and a `path`', 'leave out one of them')
  if (body !== null && !isJsonObject(body)) throw source.fault(at, '`body` is not an object', 'write the JSON itself')
  if (headers !== null && !isJsonObject(headers))
    throw source.fault(at, '`headers` is not an object of names and values')
  let known: RequestHeaders = { version: null, host: undefined }
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (typeof value !== 'string') throw source.fault(at, 'a value in `headers` is not a text')
    known = readHeader(source, at, [`${name}: ${value}`], known)
  }
  if (known.host !== undefined) throw source.fault(at, 'a host next to that of the address', 'leave out the header')
  return {
    method: { at, name: [method] },
    addressAt: at,
    ...readAddress(source, at, placeholders.fill(displayText(address), 'url', null)),
    version: known.version,
    body: body === null ? undefined : placeholders.fillBody(body),
  }
}

function requestIn(source: RequestText, at: number, value: unknown): JsonObject {
  if (!isJsonObject(value)) throw source.fault(at, 'the text is not an object')
  const { schema, rows, omitted } = value
  if (typeof schema !== 'string' || !schema.startsWith('hookdrift.')) return value
  if (!schema.startsWith('hookdrift.restore/') || !Array.isArray(rows)) {
    throw source.fault(at, 'the answer of another command than `hookdrift restore`', forms)
  }
  const [row] = rows
  if (rows.length > 1 || omitted !== undefined) {
    throw source.fault(at, 'the answer has several requests', "give one of them: jq '.rows[0]'")
  }
  if (!isJsonObject(row)) throw source.fault(at, 'the answer has no request')
  return row
}

/** Where a row of an answer has placeholders. Elsewhere, what is spelt like one is text. */
function readPlaceholders(source: RequestText, at: number, { placeholders }: JsonObject) {
  const names = new Map<string, Set<string>>()
  for (const each of placeholdersIn(source, at, placeholders)) {
    const key = `${each.in} ${each.path}`
    names.set(key, (names.get(key) ?? new Set()).add(each.name))
  }
  const fill = (text: string, where: string, path: string | null): Pieces => {
    let pieces: Pieces = [text]
    for (const name of names.get(`${where} ${path}`) ?? []) {
      pieces = pieces.flatMap((piece) => {
        if (typeof piece !== 'string') return [piece]
        return piece.split(reference({ name })).flatMap((part, index) => (index === 0 ? [part] : [{ name }, part]))
      })
    }
    return pieces.filter((piece) => piece !== '')
  }
  const fillBody = (body: JsonObject): BodyObject =>
    bodyOf(body, (text, path, is) => {
      if (is === 'name') return fill(text, 'body_name', `${path}/${pointerStep(text)}`)
      // Answers write a number that no double holds as a text of its digits.
      if (placeholders !== undefined && isExactNumber(`number:${text}`)) {
        throw source.fault(at, 'the body has digits that may be a number or a text', 'give the curl command instead')
      }
      return fill(text, 'body', path)
    })
  return { fill, fillBody }
}

function placeholdersIn(source: RequestText, at: number, list: Json | undefined) {
  if (list === undefined) return []
  if (!Array.isArray(list)) throw source.fault(at, '`placeholders` is not a list')
  return list.map((item: Json) => {
    const { name, in: where, path = null } = isJsonObject(item) ? item : {}
    const isKnown = typeof name === 'string' && /^\w{1,200}$/.test(name) && typeof where === 'string'
    if (!isKnown || (path !== null && typeof path !== 'string')) {
      throw source.fault(at, 'an entry of `placeholders` is not as `hookdrift restore` writes it')
    }
    return { name, in: where, path }
  })
}
