import { posix } from 'node:path'
import type { MarkdownOptions } from 'vitepress'
import { type LinkTarget, pageOf, resolveLink } from './resolve-link.ts'

type Renderer = Parameters<NonNullable<MarkdownOptions['config']>>[0]
type Token = ReturnType<Renderer['parse']>[number]

/** What the generator would make of text that means nothing in a repository: `:::`, `:smile:`, `<<<` and `[[toc]]`. */
const generatorRules = [
  ...['tip', 'info', 'warning', 'danger', 'details', 'raw', 'v-pre', 'code-group'].map((name) => `container_${name}`),
  ...['emoji', 'snippet', 'toc'],
]

/** What pages are made of, and where the rest is. */
export interface SiteSource {
  readonly checkout: string
  /** The address of the repository; undefined while it has none. */
  readonly repository: string | undefined
  /** Gets the files that pages link to and that are not pages. */
  readonly linked: Set<string>
}

/**
 * Makes the generator show Markdown as a repository does: braces, tags and colons are text, and links are those between
 * the files of the checkout.
 */
export function renderAsRepository(md: Renderer, { checkout, repository, linked }: SiteSource): void {
  const render = md.render.bind(md)
  md.render = (text, env) => {
    if (env.includes?.length > 0) throw new Error(`${env.realPath}: a comment includes ${env.includes}`)
    // Else Vue would compile the text of the page.
    return `<div v-pre>${render(text, env)}</div>`
  }
  md.renderer.rules.html_block = (tokens, index) =>
    pictureOf(tokens[index]?.content ?? '') ?? textOfHtml(tokens[index], 'p')
  md.renderer.rules.html_inline = (tokens, index) => textOfHtml(tokens[index], 'span')
  md.disable([...generatorRules], true)
  md.core.ruler.push('links between files', ({ tokens, env, Token }) => {
    const from = posix.relative(checkout, env.realPath ?? env.path)
    for (const token of tokens) {
      let outside: string | undefined
      token.children = (token.children ?? []).flatMap((child, index, children) => {
        if (child.type === 'link_open') {
          const href = child.attrGet('href') ?? ''
          const target = resolveLink(checkout, from, href)
          if (target.kind === 'file') linked.add(target.path)
          if (target.kind === 'repository' && repository === undefined) {
            outside = target.path
            return []
          }
          child.attrSet('href', hrefOf(target, href, repository))
        }
        if (child.type !== 'link_close' || outside === undefined) return [child]
        const note = new Token('text', '', 0)
        const isNamed = children[index - 1]?.content === outside
        note.content = isNamed ? ' (in the repository)' : ` (${outside} in the repository)`
        outside = undefined
        return [note]
      })
    }
  })
}

/** The anchor of a heading as repositories make it. */
export function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}

function hrefOf(target: LinkTarget, href: string, repository: string | undefined): string {
  if (target.kind === 'page') return `/${pageOf(target.path)}${target.anchor}`
  if (target.kind === 'file') return `/${target.path}`
  if (target.kind === 'repository') return `${repository}/${target.isFolder ? 'tree' : 'blob'}/HEAD/${target.path}`
  return href
}

/**
 * A picture that has one file for dark and one for light, as a repository shows it: both, since the switch of the site
 * chooses between them and not only the browser. Undefined for any other HTML.
 */
function pictureOf(html: string): string | undefined {
  const [, night, day, alt] =
    html.match(
      /^<picture>\s*<source media="\(prefers-color-scheme: dark\)" srcset="([\w./-]+)">\s*<img src="([\w./-]+)" alt="([^"<>&]+)">\s*<\/picture>\s*$/,
    ) ?? []
  if (night === undefined || day === undefined) return undefined
  return `<p><img class="in-light" src="./${day}" alt="${alt}"><img class="in-dark" src="./${night}" alt="${alt}"></p>`
}

/** Comments are not shown, and tags are shown as they are written; the generator's own symbols are left alone. */
function textOfHtml(token: Token | undefined, element: 'p' | 'span'): string {
  const { content, meta } = token ?? { content: '', meta: null }
  if (meta?.isPermalinkSymbol === true) return content
  const text = content.replace(/<!--[\s\S]*?-->/g, '').trim()
  return text === '' ? '' : `<${element}>${escapeText(text)}</${element}>`
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
