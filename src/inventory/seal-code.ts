import { isSecretName, looksRandom, replaceRandomWords } from '../model/looks-secret.ts'
import { sealCredentials, sealProse, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'

/**
 * Seals, within program text, what looks like a credential: in literals by the name they are given to or compared with,
 * by their form, or by their randomness; in comments as in prose. Everything else stays readable, so that a change of
 * the program can be understood. Goes through the text once: a service may send megabytes made to be slow.
 */
export function sealCode(program: string, sealer: Sealer): string {
  const out: string[] = []
  let at = 0
  const sealRest = (end: number) => {
    const code = sealCredentials(program.slice(at, end), sealer)
    out.push(replaceRandomWords(code, sealer.seal))
    at = end
  }
  for (const token of tokensOf(program)) {
    sealRest(token.from)
    const text = program.slice(token.from, token.to)
    out.push(
      token.isLiteral
        ? sealLiteral(text, program.slice(Math.max(0, token.from - 120), token.from), sealer)
        : sealProse(text, sealer),
    )
    at = token.to
  }
  sealRest(program.length)
  return out.join('')
}

interface Token {
  readonly from: number
  readonly to: number
  /** With its quotes; otherwise a comment, or the rest of a line behind a quote that is never closed. */
  readonly isLiteral: boolean
}

/** Literals and comments. Knows no regular expressions: a quote within one makes prose of the rest of its line. */
function* tokensOf(program: string): Generator<Token> {
  const opening = /["'`]|\/[/*]/g
  let isTemplateLeft = true
  for (let found = opening.exec(program); found !== null; found = opening.exec(program)) {
    const from = found.index
    const [mark] = found
    if (mark === '//' || mark === '/*') {
      const end = program.indexOf(mark === '//' ? '\n' : '*/', from + 2)
      const to = end < 0 ? program.length : end
      yield { from, to, isLiteral: false }
      opening.lastIndex = to
      continue
    }
    if (mark === '`' && !isTemplateLeft) continue
    const { to, isClosed } = literalEnd(program, from)
    if (mark === '`' && !isClosed) {
      isTemplateLeft = false
      continue
    }
    yield { from, to, isLiteral: isClosed }
    opening.lastIndex = to
  }
}

/** Behind the closing quote, or where the line ends without one. */
function literalEnd(program: string, from: number): { readonly to: number; readonly isClosed: boolean } {
  const quote = program[from]
  for (let i = from + 1; i < program.length; i++) {
    const character = program[i]
    if (character === '\\') i++
    else if (character === quote) return { to: i + 1, isClosed: true }
    else if (character === '\n' && quote !== '`') return { to: i, isClosed: false }
  }
  return { to: program.length, isClosed: false }
}

function sealLiteral(quoted: string, before: string, sealer: Sealer): string {
  const quote = quoted.slice(0, 1)
  const literal = quoted.slice(1, -1)
  if (literal.length < 4) return quoted
  if (isGivenToSecret(before) || looksRandom(literal)) return quote + sealer.seal(literal) + quote
  const kept = /^[a-z]+:\/\//i.test(literal) ? sealUrl(literal, sealer) : sealProse(literal, sealer)
  return quote + kept + quote
}

/** `token =`, `"token":`, `headers['X-Key'] =`, `token !==`, `secret = env.SECRET ||`. */
const names = /(?<![\w$-])([A-Za-z_$][\w$-]*)["'`]?\]?\s*(?:[:=!]=*|\|\||\?\?)/g
/** `set('X-Key',`. */
const argument = /["'`]([A-Za-z_$][\w$-]*)["'`]\s*,\s*$/

/** Whether what stands before a literal says that it is secret: in the same statement, or the argument before it. */
function isGivenToSecret(before: string): boolean {
  const named = argument.exec(before)?.[1]
  if (named !== undefined && isSecretName(named)) return true
  const statement = /[^,;{}\n]*$/.exec(before)?.[0] ?? ''
  return [...statement.matchAll(names)].some(([, name = '']) => isSecretName(name))
}
