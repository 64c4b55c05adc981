import type { ReportChange } from '../model/report.ts'
import { cut, neutralise } from '../text/neutralise.ts'

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

/**
 * Foreign text in Markdown, as code: no reader takes anything in it for a link, a mention, a formula or HTML. Backticks
 * and bars become escapes, because readers differ in what ends a code span or a cell.
 */
export function code(text: string, longest?: number): string {
  if (text === '') return ''
  return `\`${neutralise(cut(text, longest)).replace(/[`|]/g, (mark) => escapes[mark] ?? '')}\``
}

/** Kind, name and uid of a resource. */
export function showResource({ kind, name, uid }: Pick<ReportChange, 'kind' | 'name' | 'uid'>): string {
  return [kind, code(name, 60), code(uid, 60)].filter((piece) => piece !== '').join(' ')
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

const escapes: Readonly<Record<string, string>> = { '`': '\\x60', '|': '\\x7c' }
