import { isHarmless } from '../secrets/harmless-text.ts'
import { holdsCredential, isSecretName } from '../secrets/known-secrets.ts'
import { isRandomText } from '../secrets/random-text.ts'
import { longestProgram } from './bounds.ts'
import { findLiterals, type Literal } from './find-literals.ts'
import { isUrl, sealUnlessPlainUrl } from './seal-url.ts'
import { isSeal, type Sealer } from './sealer.ts'

/**
 * Seals every literal and comment of a program but harmless ones: short words, event types, names of members, numbers
 * of up to three digits. Structure and identifiers stay readable, so that a change of the program can be understood. A
 * text that is not JavaScript is sealed whole.
 */
export function sealCode(program: string, sealer: Sealer): string {
  if (program.trim() === '' || isSeal(program)) return program
  if (program.length > longestProgram || isOneRandomWord(program)) return sealer.seal(program)
  const known = sealed.get(sealer)?.get(program)
  if (known !== undefined) return known
  const result = sealLiterals(program, sealer)
  remember(program, result, sealer)
  return result
}

/** A key in place of a function parses as a name, or as a sum of names. */
function isOneRandomWord(program: string): boolean {
  const word = program.trim()
  if (word.length > 255 || !/^[\w$.+/~-]{1,255}$/.test(word)) return false
  return isRandomText(word) || (/[.+/~-]/.test(word) && !isHarmless(word))
}

function sealLiterals(program: string, sealer: Sealer): string {
  const found = findLiterals(program)
  if (found === undefined || found.names.some(isSecretItself)) return sealer.seal(program)
  const out: string[] = []
  let at = 0
  for (const literal of found.literals) {
    const text = program.slice(literal.from, literal.to)
    const replaced = sealLiteral(literal, text, sealer)
    if (replaced === text) continue
    out.push(program.slice(at, literal.from), replaced)
    at = literal.to
  }
  return at === 0 ? program : out.join('') + program.slice(at)
}

/** The replacement is a literal of the language too, which the next run recognises and leaves alone. */
function sealLiteral({ type, isGivenToSecret }: Literal, text: string, sealer: Sealer): string {
  switch (type) {
    case 'string':
      return quote(text, sealText(text.slice(1, -1), isGivenToSecret, sealer))
    case 'template':
      return sealText(text, isGivenToSecret, sealer)
    case 'number':
      return isGivenToSecret || digitsOf(text) > 3 ? `'${sealer.seal(text)}'` : text
    case 'regexp':
      return isGivenToSecret || !isHarmless(text) ? `'${sealer.seal(text)}'` : text
    case 'line comment':
      return `//${sealComment(text.slice(2), sealer).trimEnd()}`
    case 'block comment':
      return `/*${sealComment(text.slice(2, -2), sealer)}*/`
    case 'other comment':
      return isHarmless(text) ? text : `// ${sealer.seal(text)}`
  }
}

function quote(text: string, inside: string): string {
  return text.charAt(0) + inside + text.charAt(0)
}

function sealText(text: string, isGivenToSecret: boolean, sealer: Sealer): string {
  if (isSeal(text) || text.trim() === '') return text
  if (isGivenToSecret) return isConvention(text) ? text : sealer.seal(text)
  if (isUrl(text)) return sealUnlessPlainUrl(text, sealer)
  return isHarmless(text) ? text : sealer.seal(text)
}

/** Harmless texts that programs use together with secrets: algorithms, encodings, names of types and headers. */
function isConvention(text: string): boolean {
  return /^(?:sha-?\d{1,3}|sha3-\d{3}|md5|hex|base64|base64url|utf-?8|ascii|latin1|binary|string|number|object|undefined|boolean|function|hmac|bearer |basic |[xX]-[A-Za-z-]{2,40}|authorization)$/i.test(
    text,
  )
}

function sealComment(text: string, sealer: Sealer): string {
  const words = text.trim()
  if (words === '' || isSeal(words) || (isHarmless(words) && !isSecretName(words))) return text
  return ` ${sealer.seal(words)} `
}

function digitsOf(text: string): number {
  return text.replace(/[^0-9a-f]/gi, '').length
}

/** A name that is a secret cannot be replaced: it may be used anywhere. Random ones have a digit. */
function isSecretItself(name: string): boolean {
  return (/\d/.test(name) && isRandomText(name)) || holdsCredential(name)
}

/** Many resources share functions, and reading one takes longer than all the rest of a resource. */
const sealed = new WeakMap<Sealer, Map<string, string>>()
const mostRemembered = 256
const longestRemembered = 16 * 1024

function remember(program: string, result: string, sealer: Sealer): void {
  if (program.length > longestRemembered) return
  const known = sealed.get(sealer) ?? new Map<string, string>()
  if (known.size >= mostRemembered) known.clear()
  sealed.set(sealer, known.set(program, result))
}
