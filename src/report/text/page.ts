import { styleText } from 'node:util'
import { isCoverageComplete } from '../../model/coverage.ts'
import type { Report } from '../../model/report.ts'
import type { Grouping } from '../group-by.ts'
import type { RenderOptions } from '../report-format.ts'
import { locateCommands, locatingOptions, type NamedHistory } from './commands.ts'

/** What the sections of the text need to know about the page. */
export interface TextPage {
  readonly width: number
  readonly full: boolean
  /** How many lines a message may have. A finite number: only the one for which its line has no room. */
  readonly messageLines: number
  /** Whether the scan was complete, so that a missing finding means that there is none. */
  readonly coverageComplete: boolean
  /** When the run began (ISO 8601, UTC), or the time from which an answer counts; empty for none. */
  readonly at: string
  /** The run to name where something was cut. */
  readonly runNumber: number
  readonly groupBy: Grouping
  /** Options with which other commands read the same history; null where none can. */
  readonly locating: string | null
  /** Adds these options to the commands that a text has in backticks. */
  readonly locate: (text: string) => string
  readonly paint: Paint
}

export type Paint = (style: Style, text: string) => string
type Style = keyof typeof styles

const styles = {
  heading: ['bold'],
  aside: ['dim'],
  good: ['green'],
  alarm: ['bold', 'red'],
  added: ['green'],
  removed: ['red'],
  modified: ['yellow'],
  critical: ['bold', 'red'],
  high: ['red'],
  medium: ['yellow'],
  low: ['cyan'],
  info: ['dim'],
} as const

const narrowest = 40
const longestList = 50

export function openPage({ run, coverage }: Report, render: RenderOptions): TextPage {
  const { colour, width, full, groupBy = 'rule', locating = {} } = render
  return {
    width: Math.max(width, narrowest),
    full,
    messageLines: Number.POSITIVE_INFINITY,
    groupBy,
    ...located(locating),
    coverageComplete: isCoverageComplete(coverage),
    at: run.started_at,
    runNumber: run.number,
    paint: painter(colour),
  }
}

/** For an answer about the history: it shows all its rows, each cut as in a report. */
export function openAnswerPage(
  runNumber: number,
  { colour, width, locating = {} }: Omit<RenderOptions, 'full'>,
): TextPage {
  return {
    width: Math.max(width, narrowest),
    full: false,
    messageLines: Number.POSITIVE_INFINITY,
    coverageComplete: true,
    at: '',
    runNumber,
    groupBy: 'rule',
    ...located(locating),
    paint: painter(colour),
  }
}

/** Commands that read a history take the same options. */
function located(locating: NamedHistory | null): Pick<TextPage, 'locating' | 'locate'> {
  if (locating === null) return { locating, locate: (text) => text }
  return { locating: locatingOptions('report', locating), locate: (text) => locateCommands(text, locating) }
}

export function painter(colour: boolean): Paint {
  return colour ? (style, text) => styleText([...styles[style]], text, { validateStream: false }) : (_, text) => text
}

/** The lines of the first entries, and a last line that counts the omitted ones and says how to see them. */
export function showEntries<Entry>(
  entries: readonly Entry[],
  page: TextPage,
  show: (entry: Entry) => readonly string[],
): string[] {
  const listed = page.full ? entries : entries.slice(0, longestList)
  const omitted = entries.length - listed.length
  const lines = listed.flatMap(show)
  return omitted === 0 ? lines : [...lines, '', showOmitted(omitted, page)]
}

/** The lines of as many entries as fit into `most` lines, and one that counts the others and says how to see them. */
export function fitEntries<Entry>(
  entries: readonly Entry[],
  page: TextPage,
  { most, show, command }: { most: number; show: (entry: Entry) => readonly string[]; command?: string },
): string[] {
  const lines: string[] = []
  for (const [at, entry] of entries.entries()) {
    const next = show(entry)
    const needed = next.length + (at + 1 < entries.length ? 1 : 0)
    if (lines.length + needed > most) return [...lines, showOmitted(entries.length - at, page, command, at === 0)]
    lines.push(...next)
  }
  return lines
}

/** How many entries are not shown, and the command that shows them. */
export function showOmitted(omitted: number, page: TextPage, command?: string | undefined, isAll = false): string {
  const { runNumber, locating } = page
  const how = `hookdrift ${command ?? `report --run ${runNumber} --format json`}${locating ?? ''} shows`
  if (isAll && locating !== null) return page.paint('aside', `${how} all`)
  return page.paint('aside', `… and ${omitted} more${locating === null ? '' : `; ${how} all`}`)
}
