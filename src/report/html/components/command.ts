import { shellWord } from '../../text/shell-word.ts'
import { html, type Markup } from '../markup.ts'

/**
 * A command to copy: one click selects all of it. Each word is quoted, because names in it are foreign text. An option
 * and its value are one piece: a browser goes on in the next line at each hyphen of a text.
 */
export function command(words: readonly string[]): Markup {
  const pieces: string[] = []
  for (const word of words.map(shellWord)) {
    const last = pieces.at(-1)
    const isValue = last !== undefined && /^--[^ ]{1,40}$/.test(last) && !word.startsWith('--')
    if (isValue) pieces[pieces.length - 1] = `${last} ${word}`
    else pieces.push(word)
  }
  const content = pieces.map((piece, at) => {
    const word = piece.includes('-') ? html`<span>${piece}</span>` : piece
    return html`${at === 0 ? '' : ' '}${word}`
  })
  return html`<code class="command">${content}</code>`
}
