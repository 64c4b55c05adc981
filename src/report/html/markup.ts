import { html as escaped, raw } from 'hono/html'
import { neutralise } from '../../model/text/neutralise.ts'

/** Text that is HTML already. Only `html` and `trusted` make it, so all other text in a page is escaped. */
export type Markup = ReturnType<typeof raw>

/** What is not there, or whose condition does not hold, adds nothing. */
type Content = string | number | Markup | readonly Markup[] | false | undefined

/**
 * A template of markup: inserted markup stays, other inserted text is escaped, and its control and invisible characters
 * become visible. Attributes must be quoted.
 */
export function html(literals: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  // The library returns a promise only where a promise was inserted, which the types here refuse.
  return escaped(literals, ...contents.map(neutralText)) as Markup
}

/** For text of our own, such as a style sheet: it is not escaped. */
export function trusted(markup: string): Markup {
  return raw(markup)
}

/** Text in which backticks enclose code. */
export function withCode(text: string): Markup[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

export const nothing = trusted('')

/** A string of the library's markup is an object, and a foreign text never is. */
function neutralText(content: Content): Content {
  return typeof content === 'string' ? neutralise(content) : content
}
