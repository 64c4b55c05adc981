import { shellWord } from '../../text/shell-word.ts'
import { html, type Markup } from '../markup.ts'

/** A command to copy: one click selects all of it. Each word is quoted, because names in it are foreign text. */
export function command(words: readonly string[]): Markup {
  return html`<code class="command">${words.map(shellWord).join(' ')}</code>`
}
