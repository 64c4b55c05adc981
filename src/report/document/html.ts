import {
  emptyState,
  factList,
  fold,
  type ReportLinks,
  resource as resourceName,
  rowList,
} from '../html/components/parts.ts'
import { cell, table } from '../html/components/table.ts'
import { verdictBanner } from '../html/components/verdict-banner.ts'
import { html, type Markup, nothing, withCode } from '../html/markup.ts'
import type { PageSection } from '../html/render-page.ts'
import { shorten } from '../text/shorten.ts'
import {
  anchorOf,
  type Block,
  type Inline,
  type LinkTarget,
  type SectionBlock,
  type Span,
  spansOf,
  type TableBlock,
} from './blocks.ts'
import { plain } from './terminal.ts'

/** Where names lead, on a page among others. A report that is one file has no such pages. */
export type DocumentLinks = ReportLinks & { readonly rule: (id: string) => string }

/** Blocks as a part of a page. */
export function asHtml(blocks: readonly Block[], links?: DocumentLinks): Markup {
  return html`${blocks.map((block) => show(block, links))}`
}

/** The parts of a page: sections of level 2, without what is not in one. */
export function asSections(blocks: readonly Block[], links?: DocumentLinks): readonly PageSection[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'section') return []
    const { id = anchorOf('s', plain(block.title)), title, count, blocks: within } = block
    return [{ id, title: plain(title), ...(count !== undefined && { count }), content: asHtml(within, links) }]
  })
}

function show(block: Block, links: DocumentLinks | undefined): Markup {
  const inHtml = (inline: Inline) => showInline(inline, links)
  switch (block.kind) {
    case 'text': {
      const { tone } = block
      if (tone === 'strong') return html`<p><b>${inHtml(block.text)}</b></p>\n`
      if (tone === 'alarm') return html`<p><b class="bad">${inHtml(block.text)}</b></p>\n`
      const kind = tone === 'aside' && html` class="soft"`
      return html`<p${kind}>${inHtml(block.text)}</p>\n`
    }
    case 'facts': {
      return factList(block.facts.map(([name, value]) => [name, inHtml(value)]))
    }
    case 'verdict': {
      const numbers = block.numbers.map((number) => ({ ...number, delta: [] }))
      return verdictBanner({
        ...block,
        word: block.word ?? '',
        numbers,
        facts: block.facts.map((fact) => html`${withCode(fact)}`),
      })
    }
    case 'table': {
      return showTable(block, links)
    }
    case 'list': {
      const rows = block.items.map(({ text, below = [], id, isUnknown, data = {} }) => {
        const named = id !== undefined && html` id="${id}"`
        const lines = below.map((line) => html`<p class="where">${inHtml(line)}</p>`)
        return html`<li${named}${isUnknown === true && html` class="unseen"`}${dataOf(data)}><p>${isUnknown === true && '? '}${inHtml(text)}</p>${lines}</li>\n`
      })
      return rows.length === 0 ? emptyState('None.', 'none') : rowList(rows)
    }
    case 'commands': {
      const rows = block.rows.map(
        ({ command: line, why }) => html`<li><code class="command">${line}</code> ${why}</li>\n`,
      )
      return html`<ul>${rows}</ul>\n`
    }
    case 'section': {
      return showSection(block, links)
    }
    case 'signature': {
      return html`<div class="sign">${block.fields.map((field) => html`<p>${field}</p>`)}</div>\n`
    }
  }
}

function showSection(
  { level, id, title, count, blocks, isFolded }: SectionBlock,
  links: DocumentLinks | undefined,
): Markup {
  const content = asHtml(blocks, links)
  const said = showInline(title, links)
  if (isFolded) return fold(html`${said}${count !== undefined && html`: ${count}`}`, content)
  if (level === 4) return html`<h4>${said}${count !== undefined && html`: ${count}`}</h4>\n${content}`
  const anchor = id ?? anchorOf('s', plain(title))
  const number = count !== undefined && html` <span class="count">${count}</span>`
  const heading =
    level === 2 ? html`<h2 id="${anchor}">${said}${number}</h2>` : html`<h3 id="${anchor}">${said}${number}</h3>`
  return html`<section${level === 3 ? html` class="control"` : nothing} aria-labelledby="${anchor}">${heading}\n${content}</section>\n`
}

function showTable({ name, columns, rows }: TableBlock, links: DocumentLinks | undefined): Markup {
  const heads = columns.map(({ title, kind }) => ({ title, isNumber: kind === 'number', isText: kind === 'text' }))
  const cellAt = (inline: Inline, at: number) => {
    const { title = '', kind } = columns[at] ?? {}
    if (kind !== 'number' || typeof inline !== 'string') return cell(title, showInline(inline, links))
    return cell(title, inline, inline === '?' ? 'n unseen' : 'n')
  }
  const shown = rows.map(({ cells: [first = '', ...others], data = {} }) => {
    const rest = others.map((inline, at) => cellAt(inline, at + 1))
    return html`<tr${dataOf(data)}><th scope="row">${showInline(first, links)}</th>${rest}</tr>\n`
  })
  return table(name, heads, shown)
}

/** Names of attributes are our own. */
function dataOf(data: Readonly<Record<string, string>>): Markup {
  return html`${Object.entries(data).map(([name, value]) => html` data-${name}="${value}"`)}`
}

function showInline(inline: Inline, links: DocumentLinks | undefined): Markup {
  return html`${spansOf(inline).flatMap((span) => showSpan(span, links))}`
}

const longest = 2000

function showSpan(span: string | Span, links: DocumentLinks | undefined): Markup | readonly Markup[] {
  if (typeof span === 'string') return withCode(shorten(span, longest))
  if ('code' in span) return html`<code>${shorten(span.code, longest)}</code>`
  if ('strong' in span) return html`<b>${span.strong}</b>`
  if ('chip' in span) return html`<span class="chip ${span.mark}">${span.chip}</span>`
  if ('text' in span) {
    const href = hrefOf(span.to, links)
    const said = 'rule' in span.to ? html`<code>${span.text}</code>` : html`${withCode(span.text)}`
    return href === undefined ? said : html`<a href="${href}">${said}</a>`
  }
  const { resource, anchor } = span
  return resourceName(resource, links?.resource(resource) ?? (anchor === undefined ? undefined : `#${anchor}`))
}

function hrefOf(to: LinkTarget, links: DocumentLinks | undefined): string | undefined {
  if ('anchor' in to) return `#${to.anchor}`
  if ('href' in to) return to.href
  return 'rule' in to ? links?.rule(to.rule) : links?.violation(to.violation)
}
