import { neutralise } from '../../text/neutralise.ts'

/** Text that is HTML already. Only `html` and `renderPage` make it, so all other text in a page is escaped. */
export class Markup {
  readonly #markup: string

  constructor(markup: string) {
    this.#markup = markup
  }

  toString(): string {
    return this.#markup
  }
}

type Content = string | number | Markup | readonly Markup[]

/** A template of markup: inserted text is escaped, inserted markup is not. Attributes must be quoted. */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let markup = literals[0] ?? ''
  for (const [at, content] of contents.entries()) markup += markupOf(content) + (literals[at + 1] ?? '')
  return new Markup(markup)
}

/** Text in which backticks enclose code. */
export function withCode(text: string): Markup[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

export const nothing = new Markup('')

function markupOf(content: Content): string {
  if (content instanceof Markup) return String(content)
  return typeof content === 'string' || typeof content === 'number' ? escapeHtml(String(content)) : content.join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The only way for foreign text into a page: markup is escaped, control and invisible characters become visible. */
function escapeHtml(text: string): string {
  return neutralise(text).replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
