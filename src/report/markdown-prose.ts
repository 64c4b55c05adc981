import { cut, neutralise } from '../model/text/neutralise.ts'

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

/** In parentheses or not; a time of day and an arrow are plain. Long words of hex digits are not: they could pass for a commit. */
function isPlain(word: string): boolean {
  const isWord = /^\(?(?:[\p{L}\p{M}]+(?:['’-][\p{L}\p{M}]+)*['’]?|\d+(?:[.:-]\d+){0,2}|[%→…]|)\)?[,.;:]?$/u.test(word)
  return isWord && !/^\(?[0-9a-f]{7,}/i.test(word)
}

/** The sentence's own punctuation stays outside, and so does a parenthesis that encloses the words or more of the sentence. */
function asCode(words: string): string {
  const [, said = words, mark = ''] = /^(.*[^,.;:])([,.;:])$/s.exec(words) ?? []
  const opens = said.length > 1 && said.startsWith('(')
  const inner = opens ? said.slice(1) : said
  const closes = inner.length > 1 && inner.endsWith(')') && !inner.includes('(')
  const body = closes ? inner.slice(0, -1) : inner
  return `${opens ? '(' : ''}${code(body, Number.POSITIVE_INFINITY)}${closes ? ')' : ''}${mark}`
}

const escapes: Readonly<Record<string, string>> = { '`': '\\x60', '|': '\\x7c' }
