import { jsonOfNumbers } from '../model/exact-number.ts'
import type { JsonObject } from '../model/json.ts'
import { escapeUnseen } from '../text/neutralise.ts'
import { reference } from './placeholders.ts'

/** A request with its address and headers, as people send it. */
export interface AddressedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject | null
}

/**
 * The lines of a `curl` command for any POSIX shell. Every text is quoted; a placeholder is a variable, and the shell
 * refuses to run the command while it is unset or empty. `names`: all placeholders.
 */
export function curlLines({ method, url, headers, body }: AddressedRequest, names: readonly string[]): string[] {
  const quoted = (text: string) => quoteForShell(text, names)
  const parts = [
    `curl --silent --show-error --fail-with-body --request ${method}`,
    ...Object.entries(headers).map(([name, value]) => `  --header ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`  --data-raw ${quoted(wireJson(body))}`]),
    `  --url ${quoted(url)}`,
  ]
  return parts.flatMap((part, at) => `${part}${at < parts.length - 1 ? ' \\' : ''}`.split('\n'))
}

/** The body as it is sent: exact numbers are numbers, and characters that hide or control a terminal are escaped. */
export function wireJson(body: JsonObject): string {
  return escapeUnseen(jsonOfNumbers(JSON.stringify(body, null, 2)))
}

/** Quotes a text as one word of a POSIX shell. In it, each `${NAME}` of a placeholder is a variable that must be set. */
export function quoteForShell(text: string, names: readonly string[]): string {
  let pieces: readonly { readonly text: string; readonly isName: boolean }[] = [{ text, isName: false }]
  for (const name of names) {
    pieces = pieces.flatMap((piece) => (piece.isName ? [piece] : splitAt(piece.text, name)))
  }
  const words = pieces.filter((piece) => piece.isName || piece.text !== '')
  if (words.length === 0) return "''"
  return words.map((piece) => (piece.isName ? `"\${${piece.text}:?}"` : quoteLiteral(piece.text))).join('')
}

function splitAt(text: string, name: string): { readonly text: string; readonly isName: boolean }[] {
  return text
    .split(reference(name))
    .flatMap((piece, at) => [...(at === 0 ? [] : [{ text: name, isName: true }]), { text: piece, isName: false }])
}

/** Within single quotes a shell reads every character as it is, except a single quote. */
function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
