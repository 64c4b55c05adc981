import { type Compiled, type CompileOptions, compile } from './compile.ts'
import type { Mistake, Uses } from './inspect.ts'

/** A message with expressions in braces. */
export interface Template {
  readonly uses: readonly Uses[]
  /** `ask` evaluates one expression; an unknown result is shown as a question mark. */
  write(ask: (expression: Compiled) => unknown): string
}

const shown = ['string', 'int', 'double', 'bool', 'list<string>', 'dyn']
const maxCharacters = 1000

/** `owner {resource.owner_id} is not a tenant`; `{{` and `}}` are braces. */
export function compileTemplate(
  text: string,
  wanted: Omit<CompileOptions, 'types' | 'expected'>,
): { readonly template: Template } | { readonly mistakes: readonly Mistake[] } {
  const mistakes: Mistake[] = []
  const parts: (string | Compiled)[] = []
  const expected = 'a text, a number, true or false, or a list of texts'
  for (const { text: part, offset, isExpression } of partsOf(text)) {
    if (!isExpression) {
      if (/[{}]/.test(part.replaceAll('{{', '').replaceAll('}}', ''))) {
        const at = offset + part.search(/[{}]/)
        mistakes.push({ offset: at, text: 'a brace without its other half; write {{ or }} for one that is meant' })
      }
      parts.push(part.replaceAll('{{', '{').replaceAll('}}', '}'))
      continue
    }
    const result = compile(part, { ...wanted, types: shown, expected, isMessage: true })
    if ('compiled' in result) parts.push(result.compiled)
    else mistakes.push(...result.mistakes.map((mistake) => ({ ...mistake, offset: offset + mistake.offset })))
  }
  if (mistakes.length > 0) return { mistakes }
  return {
    template: {
      uses: parts.flatMap((part) => (typeof part === 'string' ? [] : [part.uses])),
      write(ask) {
        const written = parts.map((part) => (typeof part === 'string' ? part : textOf(ask(part)))).join('')
        return written.length > maxCharacters ? `${written.slice(0, maxCharacters)}…` : written
      },
    },
  }
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  return typeof value === 'object' || value === undefined ? '?' : String(value)
}

interface Part {
  readonly text: string
  readonly offset: number
  readonly isExpression: boolean
}

/** Splits a message into text and expressions; braces and quotes within an expression belong to it. */
function* partsOf(text: string): Generator<Part> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('{{', at) || text.startsWith('}}', at)) {
      at++
      continue
    }
    if (text[at] !== '{') continue
    const end = endOfExpression(text, at + 1)
    if (end === undefined) continue
    yield { text: text.slice(from, at), offset: from, isExpression: false }
    yield { text: text.slice(at + 1, end), offset: at + 1, isExpression: true }
    from = end + 1
    at = end
  }
  yield { text: text.slice(from), offset: from, isExpression: false }
}

function endOfExpression(text: string, start: number): number | undefined {
  let depth = 0
  let quote: string | undefined
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (quote !== undefined) {
      if (character === '\\') at++
      else if (character === quote) quote = undefined
    } else if (character === '"' || character === "'") quote = character
    else if (character === '{') depth++
    else if (character === '}' && depth-- === 0) return at
  }
  return undefined
}
