import MarkdownIt from 'markdown-it'
import { type Markup, trusted } from '../report/html/markup.ts'

/** HTML in a text stays text, and images are left out: a page loads nothing and runs nothing. */
const markdown = new MarkdownIt({ html: false, linkify: false }).disable('image')
// Only within the pages, or to another site over https; any other link stays text.
markdown.validateLink = (url) => /^(?:https:\/\/|#|\/(?![/\\]))/.test(url)
markdown.renderer.rules.link_open = (tokens, at, options, _, renderer) => {
  tokens[at]?.attrSet('rel', 'noreferrer')
  return renderer.renderToken(tokens, at, options)
}

/** Markdown of the documentation as markup. */
export function showMarkdown(text: string): Markup {
  return trusted(markdown.render(text))
}
