import { cut, neutralise } from '../../text/neutralise.ts'
import { code } from './code.ts'

/**
 * A sentence with foreign text in it: words of letters and numbers stay as they are, everything else becomes code. A
 * plain word cannot be an address, a mention, a reference or markup.
 */
export function prose(text: string, longest?: number): string {
  const pieces: string[] = []
  let odd: string[] = []
  const closeOdd = () => {
    if (odd.length > 0) pieces.push(asCode(odd.join(' ')))
    odd = []
  }
  for (const word of neutralise(cut(text, longest)).split(' ')) {
    if (!isPlain(word)) odd.push(word)
    else {
      closeOdd()
      pieces.push(word)
    }
  }
  closeOdd()
  return pieces.join(' ')
}

/** A text in which backticks enclose code. */
export function withCode(text: string): string {
  return cut(text)
    .split('`')
    .map((part, at) => (at % 2 === 1 ? code(part) : prose(part)))
    .join('')
}

/** Long words of hex digits are not plain: they could pass for a commit. */
function isPlain(word: string): boolean {
  return /^(?:[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\d+|%|)[,.;:]?$/u.test(word) && !/^[0-9a-f]{7,}/i.test(word)
}

/** The sentence's own punctuation stays outside. */
function asCode(words: string): string {
  const [, body = words, mark = ''] = /^(.*[^,.;:])([,.;:])$/s.exec(words) ?? []
  return `${code(body, Number.POSITIVE_INFINITY)}${mark}`
}
