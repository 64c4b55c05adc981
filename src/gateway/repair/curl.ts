import { isExactNumber, numberText } from '../../model/exact-number.ts'
import { escapeUnseen } from '../../model/text/neutralise.ts'
import type { BodyObject, BodyValue, Pieces } from './pieces.ts'

/** A request with its address and headers, as people send it. */
export interface AddressedRequest {
  readonly method: string
  readonly url: Pieces
  readonly headers: Readonly<Record<string, Pieces>>
  readonly body: BodyObject | null
}

/**
 * The lines of a `curl` command for any POSIX shell. Every text is quoted; a placeholder is a variable, and the shell
 * refuses to run the command while it is unset or empty.
 */
export function curlLines({ method, url, headers, body }: AddressedRequest): string[] {
  const parts = [
    `curl --silent --show-error --fail-with-body --request ${method}`,
    ...Object.entries(headers).map(([name, value]) => `  --header ${quoteForShell([`${name}: `, ...value])}`),
    ...(body === null ? [] : [`  --data-raw ${quoteForShell(wireJson(body))}`]),
    `  --url ${quoteForShell(url)}`,
  ]
  return parts.flatMap((part, at) => `${part}${at < parts.length - 1 ? ' \\' : ''}`.split('\n'))
}

/**
 * The JSON of a body as it is sent, in pieces: exact numbers are numbers, and characters that hide or control a terminal
 * are escaped.
 */
export function wireJson(value: BodyValue, indent = '\n'): Pieces {
  switch (value.type) {
    case 'scalar':
      return [isExactNumber(value.value) ? numberText(value.value) : JSON.stringify(value.value)]
    case 'text':
      return jsonString(value.pieces)
    case 'list':
      return enclose('[]', value.items, indent, (item, inner) => wireJson(item, inner))
    case 'object':
      return enclose('{}', value.members, indent, ({ name, value: member }, inner) => [
        ...jsonString(name),
        ': ',
        ...wireJson(member, inner),
      ])
  }
}

function enclose<Part>(
  [open = '', close = '']: string,
  parts: readonly Part[],
  indent: string,
  write: (part: Part, indent: string) => Pieces,
): Pieces {
  if (parts.length === 0) return [open, close]
  const inner = `${indent}  `
  const written = parts.flatMap((part, at) => [at === 0 ? inner : `,${inner}`, ...write(part, inner)])
  return [open, ...written, indent, close]
}

function jsonString(pieces: Pieces): Pieces {
  const inside = (text: string) => escapeUnseen(JSON.stringify(text)).slice(1, -1)
  return ['"', ...pieces.map((piece) => (typeof piece === 'string' ? inside(piece) : piece)), '"']
}

/** Quotes a text as one word of a POSIX shell. Each placeholder is a variable that must be set. */
export function quoteForShell(pieces: Pieces): string {
  const words: string[] = []
  let literal = ''
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      literal += piece
      continue
    }
    if (literal !== '') words.push(quoteLiteral(literal))
    words.push(`"\${${piece.name}:?}"`)
    literal = ''
  }
  if (literal !== '' || words.length === 0) words.push(quoteLiteral(literal))
  return words.join('')
}

/** Within single quotes a shell reads every character as it is, except a single quote. */
function quoteLiteral(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
