import type { Kind } from '../../model/resource.ts'
import { count } from '../../model/text/count.ts'
import { fieldTable } from '../html/components/field-table.ts'
import {
  factList,
  fold,
  foldRest,
  remediation,
  resource as resourceName,
  rowList,
  showInstant,
} from '../html/components/parts.ts'
import { cell, table } from '../html/components/table.ts'
import { verdictBanner } from '../html/components/verdict-banner.ts'
import { html, type Markup, trusted, withCode } from '../html/markup.ts'
import type { PageSection } from '../html/render-page.ts'
import { shorten } from '../text/shorten.ts'
import {
  anchorOf,
  type Block,
  type Inline,
  type LinkTarget,
  type ListBlock,
  type SectionBlock,
  type Span,
  spansOf,
  type TableBlock,
} from './blocks.ts'
import { plain } from './terminal.ts'

/** Where names lead: on a page among others, to theirs. A report that is one file has hardly any. */
export interface DocumentLinks {
  violation?(fingerprint: string): string
  resource?(identity: { readonly project: string; readonly kind: Kind; readonly uid: string }): string
  /** `service/project` */
  project?(name: string): string
  owner?(name: string): string
  rule?(id: string): string
}

/** Blocks as a part of a page. `depth`: of their headings. */
export function asHtml(blocks: readonly Block[], links?: DocumentLinks, depth = 2): Markup {
  return html`${blocks.map((block) => show(block, links, depth))}`
}

/** The parts of a page: sections of level 2, without what is not in one. */
export function asSections(blocks: readonly Block[], links?: DocumentLinks): readonly PageSection[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'section') return []
    const { id = anchorOf('s', plain(block.title)), title, count, blocks: within } = block
    return [{ id, title: plain(title), ...(count !== undefined && { count }), content: asHtml(within, links, 3) }]
  })
}

function show(block: Block, links: DocumentLinks | undefined, depth: number): Markup {
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
      return showList(block, links)
    }
    case 'commands': {
      const rows = block.rows.map(
        ({ command: line, why }) => html`<li><code class="command">${line}</code> ${why}</li>\n`,
      )
      return html`<ul>${rows}</ul>\n`
    }
    case 'fix': {
      return remediation(block.text)
    }
    case 'verbatim': {
      return html`<pre class="command">${block.lines.map((line) => html`${line}\n`)}</pre>\n`
    }
    case 'section': {
      return showSection(block, links, depth)
    }
    case 'signature': {
      return html`<div class="sign">${block.fields.map((field) => html`<p>${field}</p>`)}</div>\n`
    }
  }
}

/** Of a list, a page among others shows so many, and the command that lists all; a report that is one file shows all. */
const mostOnPage = 50

function showList({ noun, items, most, command: all }: ListBlock, links: DocumentLinks | undefined): Markup {
  const listed = links?.resource === undefined ? items : items.slice(0, mostOnPage)
  const rows = listed.map(({ text, fields = [], below = [], id, isUnknown, data = {} }) => {
    const named = id !== undefined && html` id="${id}"`
    const lines = below.map((line) => html`<p class="where">${showInline(line, links)}</p>`)
    return html`<li${named}${dataOf(data)}${isUnknown === true && html` class="unseen"`}><p>${isUnknown === true && '? '}${showInline(text, links)}</p>${fieldTable(fields)}${lines}</li>\n`
  })
  const omitted = items.length - rows.length
  const how = all != null && html`; <code class="command">${all}</code> lists all`
  const more = omitted > 0 && html`<p class="soft">… and ${count(omitted, `more ${noun}`)}${how}</p>\n`
  return html`${rowList(rows, Number.isFinite(most) ? most : undefined)}${more}`
}

function showSection(
  { level, id, title, count, blocks, isFolded }: SectionBlock,
  links: DocumentLinks | undefined,
  depth: number,
): Markup {
  const content = asHtml(blocks, links, depth + 1)
  const number = count !== undefined && html` <span class="count">${count}</span>`
  const named = html`${showInline(title, links)}${number}`
  const anchor = id ?? (level < 4 ? anchorOf('s', plain(title)) : undefined)
  const marked = anchor !== undefined && html` id="${anchor}"`
  const heading = trustedHeading(Math.min(depth, 6), marked, named)
  if (isFolded !== undefined) return fold(heading, content, !isFolded)
  if (level === 4) return html`${heading}\n${content}`
  return html`<section${level === 3 && html` class="control"`} aria-labelledby="${anchor}">${heading}\n${content}</section>\n`
}

function trustedHeading(depth: number, marked: Markup | false, named: Markup): Markup {
  const tag = trusted(`h${depth}`)
  return html`<${tag}${marked}>${named}</${tag}>`
}

function showTable({ name, columns, rows, noun = 'row', most }: TableBlock, links: DocumentLinks | undefined): Markup {
  const heads = columns.map(({ title, kind }) => ({ title, isNumber: kind === 'number', isText: kind === 'text' }))
  const cellAt = (inline: Inline, at: number) => {
    const { title = '', kind } = columns[at] ?? {}
    if (kind !== 'number') return cell(title, showInline(inline, links))
    const said = plain(inline)
    return cell(title, said === '0' ? said : showInline(inline, links), said.startsWith('?') ? 'n unseen' : 'n')
  }
  const shown = rows.map(({ cells: [first = '', ...others], data = {} }) => {
    const rest = others.map((inline, at) => cellAt(inline, at + 1))
    return html`<tr${dataOf(data)}><th scope="row">${showInline(first, links)}</th>${rest}</tr>\n`
  })
  const [inFront, behind] = [shown.slice(0, most), most === undefined ? [] : shown.slice(most)]
  const summary = `${behind.length} more of ${count(shown.length, noun)}`
  return html`${table(name, heads, inFront)}${behind.length > 0 && foldRest(summary, table(name, heads, behind))}`
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
  if ('code' in span) {
    const href = span.to === undefined ? undefined : hrefOf(span.to, links)
    const code = html`<code>${shorten(span.code, longest)}</code>`
    return href === undefined ? code : html`<a href="${href}">${code}</a>`
  }
  if ('instant' in span) return showInstant(span.instant)
  if ('strong' in span) return html`<b>${span.strong}</b>`
  if ('chip' in span) return html`<span class="chip ${span.mark}">${span.chip}</span>`
  if ('text' in span) {
    const href = hrefOf(span.to, links)
    const said = 'rule' in span.to ? html`<code>${span.text}</code>` : html`${withCode(span.text)}`
    const isElsewhere = 'href' in span.to && !span.to.href.startsWith('/')
    return href === undefined ? said : html`<a href="${href}"${isElsewhere && html` rel="noreferrer"`}>${said}</a>`
  }
  const { resource, anchor } = span
  return resourceName(resource, links?.resource?.(resource) ?? (anchor === undefined ? undefined : `#${anchor}`))
}

function hrefOf(to: LinkTarget, links: DocumentLinks | undefined): string | undefined {
  if ('anchor' in to) return `#${to.anchor}`
  if ('href' in to) return to.href
  if ('rule' in to) return links?.rule?.(to.rule)
  if ('project' in to) return links?.project?.(to.project)
  return 'owner' in to ? links?.owner?.(to.owner) : links?.violation?.(to.violation)
}
