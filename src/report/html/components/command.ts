import { html, type Markup } from '../markup.ts'

/** A command to copy: one click selects all of it. */
export function command(line: string): Markup {
  return html`<code class="command">${line}</code>`
}
