import { padColumns, widthOf, wrapProse } from '../../model/text/columns.ts'
import { count } from '../../model/text/count.ts'
import { neutralise, quote } from '../../model/text/neutralise.ts'
import { layTable } from '../../model/text/table.ts'
import type { RenderOptions } from '../report-format.ts'
import { isStyle, type Paint, painter, type Style } from '../text/paint.ts'
import { shorten } from '../text/shorten.ts'
import { showTime } from '../text/show-time.ts'
import {
  type Block,
  type CommandsBlock,
  type Document,
  type Inline,
  type ListBlock,
  type SectionBlock,
  type Span,
  sayNumbers,
  spansOf,
  type TableBlock,
  text,
} from './blocks.ts'
import { fieldLines, firstSteps } from './lines.ts'

export const narrowest = 40
const mostFields = 20

/** For people at a terminal. */
export function asTerminal(
  { title, about, verdict, sections }: Document,
  { colour, width, full }: RenderOptions,
): string {
  const page = { paint: painter(colour), width: Math.max(width, narrowest), full }
  return `${showBlocks([text(title, 'strong'), verdict, ...about, ...sections], page).join('\n')}\n`
}

export interface Screen extends Pick<RenderOptions, 'full'> {
  readonly paint: Paint
  readonly width: number
  /** What becomes of commands in texts; default: nothing. */
  readonly locate?: (text: string) => string
}

/** Blocks as lines of at most a screen's width, but for commands, which are never broken. */
export function showBlocks(
  blocks: readonly Block[],
  { paint, width, full, locate = (text) => text }: Screen,
): string[] {
  const say = (inline: Inline) => plain(spansOf(inline).map((span) => (typeof span === 'string' ? locate(span) : span)))
  const wrap = (said: string, by: number) => wrapProse(said, width - by).map((line) => `${' '.repeat(by)}${line}`)
  return showAll(blocks, 0)

  /** A blank line sets a section off from what is above it, unless that is its parent's heading. */
  function showAll(shown: readonly Block[], by: number): string[] {
    return shown.flatMap((block, at) => {
      const isSetOff = block.kind === 'section' && (block.level < 4 || at > 0)
      const lines = show(block, by)
      return isSetOff && lines.length > 0 ? ['', ...lines] : lines
    })
  }

  function show(block: Block, by: number): readonly string[] {
    switch (block.kind) {
      case 'text': {
        const { tone } = block
        const style = tone === 'strong' ? 'heading' : tone
        return wrap(say(block.text), by).map((line) => (style === undefined ? line : paint(style, line)))
      }
      case 'facts': {
        return block.facts.flatMap(([name, value]) => wrap(`${name}: ${say(value)}`, by))
      }
      case 'verdict': {
        const { outcome, word, sentence, facts } = block
        const style = outcome === 'passed' ? 'good' : 'alarm'
        const said = sayNumbers(block)
        return [
          ...wrap(`${word === undefined ? '' : `${word}. `}${neutralise(sentence)}`, by).map((line) =>
            paint(style, line),
          ),
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
      case 'commands': {
        return showCommands(block.rows)
      }
      case 'fix': {
        return wrap(say(`Fix: ${firstSteps(block.text, full)}`), by).map((line) => paint('aside', line))
      }
      case 'verbatim': {
        return block.lines.map((line) => `${' '.repeat(by)}${line}`)
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
    const number = counted === undefined ? '' : `: ${neutralise(String(counted))}`
    return [
      ...inColour(title, wrap(`${spansOf(title).map(loud).join('')}${number}`, by), 'heading'),
      ...showAll(within, level === 2 ? by : by + 2),
    ]
  }

  function showTable({ columns: titles, rows: all, isOverview, most = all.length, ...rest }: TableBlock, by: number) {
    if (isOverview) return []
    const rows = full ? all : all.slice(0, most)
    const columns = titles.map(({ title, kind }, at) => ({
      name: title.toLowerCase(),
      only: 'text' as const,
      show: (row: (typeof rows)[number]) => say(row.cells[at] ?? ''),
      ...(kind === 'number' && { align: 'right' as const }),
    }))
    const [header = [], ...laid] = layTable(columns, rows, width - by)
    return [
      ...[...header.map((line) => paint('heading', line)), ...laid.flat()].map((line) => `${' '.repeat(by)}${line}`),
      ...showOmitted(all.length - rows.length, rest.noun ?? 'row', rest.command, by),
    ]
  }

  /** A command is never broken: where it does not fit, it has a line of its own. */
  function showOmitted(omitted: number, noun: string, command: string | null | undefined, by: number): string[] {
    if (omitted === 0) return []
    const said = `… and ${count(omitted, `more ${noun}`)}`
    const how = command ?? '--format json'
    const whole = `${said}; ${how} shows all`
    const lines = command === null ? [said] : by + widthOf(whole) <= width ? [whole] : [`${said}:`, `  ${how}`]
    return lines.map((line) => `${' '.repeat(by)}${paint('aside', line)}`)
  }

  function showCommands(rows: CommandsBlock['rows']): string[] {
    const widest = Math.max(...rows.map(({ command }) => widthOf(command)))
    return rows.map(({ command, why }) => {
      const line = `  ${padColumns(command, widest)}  ${paint('aside', why)}`
      return why !== '' && 4 + widest + widthOf(why) <= width ? line : `  ${command}`
    })
  }

  function showList({ noun, items, most = items.length, command }: ListBlock, by: number): string[] {
    const listed = full ? items : items.slice(0, most)
    const omitted = items.length - listed.length
    return [
      ...listed.flatMap(({ text: said, fields, below = [] }) => [
        ...inColour(said, hang(say(said), by + 2)),
        ...[...fieldLines(fields, full ? fields?.length : mostFields), ...below].flatMap((line) =>
          wrap(say(line), by + 4),
        ),
      ]),
      ...showOmitted(omitted, noun, command, by + 2),
    ]
  }

  /** A severity or a change has its colour where it begins a line. */
  function inColour(said: Inline, lines: readonly string[], style?: Style): string[] {
    const [first] = spansOf(said)
    const chip = typeof first === 'object' && 'chip' in first ? first : undefined
    const rest = (line: string) => (style === undefined ? line : paint(style, line))
    return lines.map((line, at) => {
      if (at > 0 || chip === undefined || !isStyle(chip.mark)) return rest(line)
      const end = line.length - line.trimStart().length + chip.chip.length
      return paint(chip.mark, line.slice(0, end)) + rest(line.slice(end))
    })
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

/** Longer than any text of our own; a service's text may have a megabyte. */
const longest = 2000
const longestName = 200

function plainSpan(span: string | Span): string {
  const harmless = (said: string, most = longest) => shorten(neutralise(said), most)
  if (typeof span === 'string') return harmless(span)
  if ('code' in span) return harmless(span.code)
  if ('instant' in span) return showTime(span.instant)
  if ('strong' in span) return harmless(span.strong)
  if ('chip' in span) return harmless(span.chip, longestName)
  if ('text' in span) return harmless(span.text)
  const { project, kind, name, uid } = span.resource
  const named = name === '' ? [] : [quote(shorten(name, 60))]
  return [...(project === '' ? [] : [harmless(project, longestName)]), kind, ...named, harmless(uid, 64)].join(' ')
}
