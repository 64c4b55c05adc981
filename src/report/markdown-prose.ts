import type { ReportChange } from '../model/report.ts'
import { cut, neutralise } from '../text/neutralise.ts'

/**
 * A sentence with foreign text in it: what backticks enclose is code. Of the rest, words of letters and numbers stay as
 * they are, and everything else becomes code. A plain word cannot be an address, a mention, a reference or markup.
 */
export function prose(text: string, longest?: number): string {
  return neutralise(cut(text, longest))
    .split('`')
    .map((part, at) => (at % 2 === 1 ? code(part, Number.POSITIVE_INFINITY) : plainWords(part)))
    .reduce((joined, part) => (joined.endsWith('`') && part.startsWith('`') ? `${joined} ${part}` : joined + part), '')
}

function plainWords(sentence: string): string {
  const pieces: string[] = []
  let odd: string[] = []
  const closeOdd = () => {
    if (odd.length > 0) pieces.push(asCode(odd.join(' ')))
    odd = []
  }
  for (const word of sentence.split(' ')) {
    if (!isPlain(word)) odd.push(word)
    else {
      closeOdd()
      pieces.push(word)
    }
  }
  closeOdd()
  return pieces.join(' ')
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

/** In parentheses or not. Long words of hex digits are not plain: they could pass for a commit. */
function isPlain(word: string): boolean {
  const isWord = /^\(?(?:[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*|\d+(?:[.-]\d+){0,2}|%|)\)?[,.;:]?$/u.test(word)
  return isWord && !/^\(?[0-9a-f]{7,}/i.test(word)
}

/** The sentence's own punctuation stays outside. */
function asCode(words: string): string {
  const [, body = words, mark = ''] = /^(.*[^,.;:])([,.;:])$/s.exec(words) ?? []
  return `${code(body, Number.POSITIVE_INFINITY)}${mark}`
}

const escapes: Readonly<Record<string, string>> = { '`': '\\x60', '|': '\\x7c' }
