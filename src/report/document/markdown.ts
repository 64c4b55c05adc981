import { count } from '../../model/text/count.ts'
import { neutralise } from '../../model/text/neutralise.ts'
import { code, prose } from '../markdown-prose.ts'
import { showTime } from '../text/show-time.ts'
import {
  type Block,
  type Document,
  type Inline,
  type ListBlock,
  type SectionBlock,
  type Span,
  sayNumbers,
  spansOf,
  type TableBlock,
} from './blocks.ts'
import { fieldLines } from './lines.ts'

/** A comment on a pull request has at most 65,536 characters. */
const mostCharacters = 64_500

/** A row of a table or an entry of a list, which is left out where there is no room; what is said then of all of them. */
interface Rows {
  readonly rows: readonly string[]
  readonly noun: string
}

type Part = string | Rows

/**
 * For a pull request or a wiki. Rows and entries that would make it longer than a comment are counted.
 * @param howToSeeAll the end of the sentence about them, in Markdown
 */
export function asMarkdown({ title, about, verdict, sections }: Document, howToSeeAll: string): string {
  const shown = [verdict, ...about, ...sections]
  const parts = [`## ${prose(title)}`, ...shown.flatMap((block) => partsOf(block, 2))]
  const lengthOf = (part: Part) => (typeof part === 'string' ? part.length + 1 : roomToDescribe + howToSeeAll.length)
  let room = mostCharacters - parts.reduce((sum, part) => sum + lengthOf(part), 0)
  const lines: string[] = []
  for (const part of parts) {
    if (typeof part === 'string') {
      lines.push(part)
      continue
    }
    const { rows, noun } = part
    let taken = 0
    while (taken < rows.length && (rows[taken]?.length ?? 0) < room) {
      room -= (rows[taken]?.length ?? 0) + 1
      taken += 1
    }
    lines.push(...rows.slice(0, taken))
    if (taken < rows.length) lines.push('', `… and ${count(rows.length - taken, `more ${noun}`)}; ${howToSeeAll}`)
  }
  const split = lines.join('\n').split('\n')
  const spaced = split.filter((line, index) => line !== '' || split[index - 1] !== '')
  return `${spaced.join('\n').trim()}\n`
}

const roomToDescribe = 120

/** `depth`: of the heading above. */
function partsOf(block: Block, depth: number): readonly Part[] {
  switch (block.kind) {
    case 'text': {
      const said = inMarkdown(block.text)
      return ['', block.tone === 'strong' || block.tone === 'alarm' ? `**${said}**` : said]
    }
    case 'facts': {
      return ['', ...block.facts.map(([name, value]) => `- ${name}: ${inMarkdown(value)}`)]
    }
    case 'verdict': {
      const { word, sentence, facts } = block
      const said = sayNumbers(block)
      const numbered = said === '' ? '' : ` ${said}.`
      const outcome = word === undefined ? `**${prose(sentence)}**` : `**${word}.** ${prose(sentence)}`
      return ['', `${outcome}${numbered}`, ...facts.flatMap((fact) => ['', prose(fact, longest)])]
    }
    case 'table': {
      return tableOf(block)
    }
    case 'list': {
      return listOf(block)
    }
    case 'commands': {
      return ['', ...block.rows.map(({ command, why }) => `- ${code(command)}: ${prose(why)}`)]
    }
    case 'fix': {
      return ['', inMarkdown(`Fix: ${block.text}`)]
    }
    case 'verbatim': {
      return ['', ...block.lines.map((line) => `    ${line}`)]
    }
    case 'section': {
      return sectionOf(block, depth + 1)
    }
    case 'signature': {
      return []
    }
  }
}

function sectionOf({ title, count: counted, blocks, isAppendix }: SectionBlock, depth: number): readonly Part[] {
  if (isAppendix) return []
  const number = counted === undefined ? '' : `: ${prose(String(counted), longest)}`
  return ['', `${'#'.repeat(depth)} ${inMarkdown(title)}${number}`, ...blocks.flatMap((block) => partsOf(block, depth))]
}

function tableOf({ name, columns, rows }: TableBlock): readonly Part[] {
  return [
    '',
    rowOf(columns.map(({ title }) => title.toLowerCase())),
    rowOf(columns.map(({ kind }) => (kind === 'number' ? '---:' : '---'))),
    { rows: rows.map(({ cells }) => rowOf(cells.map(inMarkdown))), noun: `row of ${name}` },
  ]
}

function listOf({ noun, items }: ListBlock): readonly Part[] {
  const rows = items.map(
    ({ text, fields, below = [] }) => `- ${[text, ...fieldLines(fields), ...below].map(inMarkdown).join('\n  - ')}`,
  )
  return ['', { rows, noun }]
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

const longest = 1000

/** Blanks at its ends would indent what is below it, and a number with a full stop would begin a list. */
function inMarkdown(inline: Inline): string {
  const said = spansOf(inline).map(spanOf).join('').trim()
  return said.replace(/^\d{1,9}(?=[.)](?:\s|$))/, '$&\\')
}

function spanOf(span: string | Span): string {
  if (typeof span === 'string') return prose(span, longest)
  if ('code' in span) return code(span.code, 100)
  if ('instant' in span) return showTime(span.instant)
  if ('strong' in span) return `**${prose(span.strong, longest)}**`
  if ('chip' in span) return `**${neutralise(span.chip)}**`
  if ('text' in span) return 'rule' in span.to ? code(span.text, 100) : prose(span.text, longest)
  const { project, kind, name, uid } = span.resource
  return [code(project, 100), kind, code(name, 60), code(uid, 60)].filter((piece) => piece !== '').join(' ')
}
