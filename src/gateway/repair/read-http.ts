import type { Pieces, Placeholder } from './pieces.ts'
import { type RequestHeaders, readHeader } from './request-headers.ts'
import { inText, type RequestParts, type RequestText, readAddress, readBody, readHost } from './request-text.ts'
import { lineEnd } from './split-command.ts'

/** The first line of a request: `PUT /path HTTP/1.1`, or without the version, as editors have it. */
export const requestLine = /^([A-Z]{3,9})[ \t]{1,9}(\S{1,8000})(?:[ \t]{1,9}(HTTP\/\d(?:\.\d)?))?[ \t]{0,9}$/

/**
 * Reads an HTTP request that begins at an index of the text, as it is sent or in a `.http` file of an editor.
 * @throws AuditError.usage
 */
export function readHttp(source: RequestText, from: number): RequestParts {
  const { text } = source
  const end = lineEnd(text, from)
  const [, method = '', target = '', protocol] = requestLine.exec(text.slice(from, end)) ?? []
  const addressAt = text.indexOf(target, from + method.length)
  const address = readTemplates(source, addressAt, target)
  const { headers, bodyAt } = readHeaders(source, end + 1)
  const read = readAddress(source, addressAt, address)
  const body = text.slice(bodyAt, endOfRequest(source, bodyAt))
  // Sent as it is, braces are text; an editor puts in the value of its variable.
  const isOfEditor = protocol === undefined || from > 0 || address.length > 1
  const host = headers.host && readHost(source, headers.host.at, `https://${headers.host.value}`)
  return {
    method: { at: from, name: [method] },
    addressAt,
    host: target.startsWith('/') ? (host ?? null) : read.host,
    path: read.path,
    version: headers.version,
    body: readBody(source, bodyAt, isOfEditor ? readTemplates(source, bodyAt, body) : [body]),
  }
}

/** Headers up to the first blank line, and the index behind it. */
function readHeaders(source: RequestText, from: number) {
  const { text } = source
  let headers: RequestHeaders = { version: null, host: undefined }
  let at = from
  while (at < text.length) {
    const end = lineEnd(text, at)
    const line = text.slice(at, end)
    if (line.trim() === '' || line.startsWith('###')) return { headers, bodyAt: line.startsWith('###') ? at : end + 1 }
    // A line that begins with a blank goes on with the one before it; the others are an editor's comments.
    if (!/^(?:[ \t#]|\/\/)/.test(line)) headers = readHeader(source, at, readTemplates(source, at, line), headers)
    at = end + 1
  }
  return { headers, bodyAt: text.length }
}

/** Where the body ends: at the line that an editor takes for the end of a request. */
function endOfRequest(source: RequestText, from: number): number {
  const { text } = source
  let bodyEnd: number | undefined
  for (let at = Math.min(from, text.length); at < text.length; at = lineEnd(text, at) + 1) {
    const start = text.slice(at, at + 3)
    if (bodyEnd === undefined) {
      if (start === '###') bodyEnd = at
      // JSON has no line that begins so.
      else if (/^[<>]/.test(start)) throw source.fault(at, 'a file or a script belongs to the request', inText)
    } else if (!/^(?:#|\/\/|\s|$)/.test(start)) {
      throw source.fault(at, 'a second request begins here', 'give one request')
    }
  }
  return bodyEnd ?? text.length
}

const template = /\{\{([^{}\n]{1,200})\}\}/g

/** Variables of an editor are placeholders. */
function readTemplates(source: RequestText, at: number, text: string): Pieces {
  if (!text.includes('{{')) return text === '' ? [] : [text]
  const pieces: (string | Placeholder)[] = text.split(template).map((part, index) => {
    if (index % 2 === 0) return part
    const name = part.trim().replace(/[^A-Za-z0-9]/g, '_')
    if (name === '') throw source.fault(at, 'a variable without a name')
    return { name: /^\d/.test(name) ? `_${name}` : name }
  })
  return pieces.filter((piece) => piece !== '')
}
