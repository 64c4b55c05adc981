import MarkdownIt, { type Token } from 'markdown-it'
import { type Block, text } from '../report/document/blocks.ts'
import { showBlocks } from '../report/document/terminal.ts'
import type { Paint } from '../report/text/paint.ts'

const parser = new MarkdownIt()

export interface PageLayout {
  readonly paint: Paint
  readonly width: number
  /** The path of the page, which its links are relative to. */
  readonly path: string
  /** The topic of a page, by its path. */
  readonly topicOf: (path: string) => string | undefined
}

/** Prose that is wider is hard to read. */
const widest = 100

/** Lays Markdown out for a terminal: without the addresses of pages, which a list at its end names as topics. */
export function showMarkdown(
  markdown: string,
  { path, topicOf, paint, width: columns }: PageLayout,
): readonly string[] {
  const topics = new Set<string>()
  const show = (width: number, ...blocks: readonly Block[]) => showBlocks(blocks, { paint, width, full: true })
  const width = Math.min(columns, widest)
  const lines = showAll(parser.parse(markdown, {}), width).map((line) => line.trimEnd())
  if (topics.size === 0) return lines
  const named = [...topics].map((topic) => ({ command: `hookdrift docs ${topic}`, why: '' }))
  return [...lines, '', ...show(width, text('Pages named here', 'strong'), { kind: 'commands', rows: named })]

  function showAll(tokens: readonly Token[], width: number): string[] {
    return elementsOf(tokens).flatMap((element, at, all) => {
      const isSetOff = at > 0 && all[at - 1]?.[0]?.hidden !== true
      return [...(isSetOff ? [''] : []), ...showElement(element, width)]
    })
  }

  function showElement([first, ...rest]: readonly Token[], width: number): string[] {
    const within = rest.slice(0, -1)
    switch (first?.type) {
      case 'fence': {
        const rows = first.content.trimEnd().split('\n')
        return show(width, { kind: 'commands', rows: rows.map((command) => ({ command, why: '' })) })
      }
      case 'bullet_list_open':
      case 'ordered_list_open': {
        return elementsOf(within).flatMap((item) => {
          const mark = first.type === 'bullet_list_open' ? '- ' : `${item[0]?.info}. `
          const lines = showAll(item.slice(1, -1), width - mark.length)
          return lines.map((line, at) => `${at === 0 ? mark : ' '.repeat(mark.length)}${line}`)
        })
      }
      case 'table_open': {
        const parts = elementsOf(within).flatMap((part) => elementsOf(part.slice(1, -1)))
        const [titles = [], ...rows] = parts.map((row) => row.filter(isInline))
        const columns = titles.map((title) => ({ title: wordsOf(title) }))
        return show(width, { kind: 'table', name: '', columns, rows: rows.map((row) => ({ cells: row.map(wordsOf) })) })
      }
      default: {
        const words = within.filter(isInline).map(wordsOf).join(' ')
        return show(width, first?.type === 'heading_open' ? text(words, 'strong') : text(words))
      }
    }
  }

  function wordsOf({ children }: Token): string {
    let address = ''
    const words = (children ?? []).map((token) => {
      if (token.type === 'link_open') address = String(token.attrGet('href'))
      if (token.type === 'link_close') return showAddress(address)
      return token.type === 'softbreak' ? ' ' : token.content
    })
    return words.join('')
  }

  function showAddress(address: string): string {
    const topic = topicOf(targetOf(address, path))
    const [, section] = address.split('#', 2)
    if (topic !== undefined) topics.add(section === undefined ? topic : `${topic}#${section}`)
    return /^https?:/.test(address) ? ` (${address})` : ''
  }
}

/** The elements side by side in a text, each with what is in it and its end. */
function elementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const elements: Token[][] = []
  for (const token of tokens) {
    if (token.level === tokens[0]?.level && token.nesting >= 0) elements.push([token])
    else elements.at(-1)?.push(token)
  }
  return elements
}

function isInline({ type }: Token): boolean {
  return type === 'inline'
}

/** The path that a relative link of a page leads to. */
function targetOf(address: string, path: string): string {
  const [file = ''] = address.split('#', 1)
  if (file === '') return path
  const { pathname } = new URL(file, `file:///docs/${path}`)
  return pathname.replace(/^\/docs\//, '').replace(/\.md$/, '')
}

/**
 * The section of a page with that anchor, or with the first anchor that begins with it or contains it; where there is
 * none, the anchors of the page.
 */
export function pickSection(text: string, section: string): string | readonly string[] {
  const headings = headingsIn(text)
  const anchors = headings.map(({ anchor }) => anchor)
  const wanted = section.toLowerCase()
  const index = [
    (anchor: string) => anchor === wanted,
    (anchor: string) => anchor.startsWith(wanted),
    (anchor: string) => anchor.includes(wanted),
  ]
    .map((matches) => anchors.findIndex(matches))
    .find((each) => each >= 0)
  const chosen = index === undefined || wanted === '' ? undefined : headings[index]
  if (chosen === undefined || index === undefined) return anchors
  const next = headings.slice(index + 1).find(({ depth }) => depth <= chosen.depth)
  return text.split('\n').slice(chosen.at, next?.at).join('\n').trimEnd()
}

function headingsIn(text: string) {
  return parser
    .parse(text, {})
    .flatMap(({ type, tag, map }, at, all) =>
      type === 'heading_open'
        ? [{ at: map?.[0] ?? 0, depth: Number(tag.slice(1)), anchor: anchorOf(all[at + 1]?.content ?? '') }]
        : [],
    )
}

/** As GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
