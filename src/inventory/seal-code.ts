import { isSecretName, looksRandom, replaceRandomWords } from '../model/looks-secret.ts'
import { sealCredentials, sealUrl } from './seal-url.ts'
import type { Sealer } from './sealer.ts'

/** Perhaps a name with `=` or `:` behind it (`token =`, `"token":`, `headers['X-Key'] =`), then a literal on one line. */
const literals = /(?:["'`]?([A-Za-z_$][\w$-]*)["'`]?\]?\s*[:=]\s*)?(["'`])((?:\\.|(?!\2)[^\\\n])*)\2/g

/**
 * Seals, within program text, the literals that look like credentials: by the name they are given to, by their
 * form, or by their randomness; in longer literals and in comments, the words that do. Everything else stays readable,
 * so that a change of the program can be understood.
 */
export function sealCode(program: string, sealer: Sealer): string {
  const sealed = program.replace(literals, (whole, name: string | undefined, quote: string, literal: string) => {
    if (literal.length < 4) return whole
    const isSecret = (name !== undefined && isSecretName(name)) || looksRandom(literal)
    const kept = /^[a-z]+:\/\//i.test(literal) ? sealUrl(literal, sealer) : sealCredentials(literal, sealer)
    const opening = whole.slice(0, whole.length - literal.length - 2)
    return `${opening}${quote}${isSecret ? sealer.seal(literal) : kept}${quote}`
  })
  return replaceRandomWords(sealCredentials(sealed, sealer), sealer.seal)
}
