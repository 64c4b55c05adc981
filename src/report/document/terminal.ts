import { wrapProse } from '../../text/columns.ts'
import { count } from '../../text/count.ts'
import { neutralise, quote } from '../../text/neutralise.ts'
import { layTable } from '../../text/table.ts'
import type { RenderOptions } from '../report-format.ts'
import { painter } from '../text/page.ts'
import { shorten } from '../text/shorten.ts'
import {
  type Block,
  type Document,
  type Inline,
  type ListBlock,
  type SectionBlock,
  type Span,
  spansOf,
  type TableBlock,
  text,
} from './blocks.ts'

const narrowest = 40

/** For people at a terminal. */
export function asTerminal(
  { title, about, verdict, sections }: Document,
  { colour, width: columns, full }: RenderOptions,
): string {
  const width = Math.max(columns, narrowest)
  const paint = painter(colour)
  const wrap = (said: string, by: number) => wrapProse(said, width - by).map((line) => `${' '.repeat(by)}${line}`)
  const lines = showAll([text(title, 'strong'), verdict, ...about, ...sections], 0)
  return `${lines.join('\n')}\n`

  function showAll(shown: readonly Block[], by: number): string[] {
    return shown.flatMap((block) => show(block, by))
  }

  function show(block: Block, by: number): readonly string[] {
    switch (block.kind) {
      case 'text': {
        const { tone } = block
        const style = tone === 'strong' ? 'heading' : tone
        return wrap(plain(block.text), by).map((line) => (style === undefined ? line : paint(style, line)))
      }
      case 'facts': {
        return block.facts.flatMap(([name, value]) => wrap(`${name}: ${plain(value)}`, by))
      }
      case 'verdict': {
        const { outcome, word, sentence, numbers, facts } = block
        const style = outcome === 'passed' ? 'good' : 'alarm'
        const said = numbers.flatMap(({ value, label }) => (value === '0' ? [] : `${value} ${label}`)).join(', ')
        return [
          ...wrap(`${word}. ${neutralise(sentence)}`, by).map((line) => paint(style, line)),
          ...(said === '' ? [] : wrap(`${said}.`, by)),
          ...facts.flatMap((fact) => wrap(neutralise(fact), by)),
        ]
      }
      case 'table': {
        return showTable(block, by)
      }
      case 'list': {
        return showList(block, by)
      }
      case 'section': {
        return showSection(block, by)
      }
      case 'signature': {
        return []
      }
    }
  }

  function showSection(
    { level, title, count: counted, blocks: within, isAppendix }: SectionBlock,
    by: number,
  ): string[] {
    if (isAppendix && !full) return []
    const number = counted === undefined ? '' : `: ${counted}`
    const heading = shorten(`${spansOf(title).map(loud).join('')}${number}`, width - by)
    return [
      ...(level === 4 ? [] : ['']),
      `${' '.repeat(by)}${paint('heading', heading)}`,
      ...showAll(within, level === 2 ? by : by + 2),
    ]
  }

  function showTable({ columns: titles, rows }: TableBlock, by: number): string[] {
    const columns = titles.map(({ title, kind }, at) => ({
      name: title.toLowerCase(),
      only: 'text' as const,
      show: (row: (typeof rows)[number]) => plain(row.cells[at] ?? ''),
      ...(kind === 'number' && { align: 'right' as const }),
    }))
    const [header = [], ...laid] = layTable(columns, rows, width - by)
    return [...header.map((line) => paint('heading', line)), ...laid.flat()].map((line) => `${' '.repeat(by)}${line}`)
  }

  function showList({ noun, items, most = items.length }: ListBlock, by: number): string[] {
    const listed = full ? items : items.slice(0, most)
    const omitted = items.length - listed.length
    return [
      ...listed.flatMap(({ text: said, below = [] }) => [
        ...hang(plain(said), by + 2),
        ...below.flatMap((line) => wrap(plain(line), by + 4)),
      ]),
      ...(omitted === 0
        ? []
        : [paint('aside', `${' '.repeat(by + 2)}… and ${count(omitted, `more ${noun}`)}; --format json shows all`)]),
    ]
  }

  function hang(said: string, by: number): string[] {
    const [first = '', ...rest] = wrapProse(said, width - by - 2)
    return [`${' '.repeat(by)}${first}`, ...rest.map((line) => `${' '.repeat(by + 2)}${line}`)]
  }
}

/** The words alone, harmless. */
export function plain(inline: Inline): string {
  return spansOf(inline).map(plainSpan).join('')
}

/** In a heading, a state has no colour. */
function loud(span: string | Span): string {
  return typeof span === 'object' && 'chip' in span ? plainSpan(span).toUpperCase() : plainSpan(span)
}

function plainSpan(span: string | Span): string {
  if (typeof span === 'string') return neutralise(span)
  if ('code' in span) return neutralise(span.code)
  if ('strong' in span) return neutralise(span.strong)
  if ('chip' in span) return neutralise(span.chip)
  if ('text' in span) return neutralise(span.text)
  const { project, kind, name, uid } = span.resource
  const named = name === '' ? [] : [quote(shorten(name, 60))]
  return [neutralise(project), kind, ...named, shorten(neutralise(uid), 64)].join(' ')
}
