import { styleText } from 'node:util'
import { isCoverageComplete } from '../../model/coverage.ts'
import type { Report } from '../../model/report.ts'
import type { RenderOptions } from '../report-format.ts'

/** What the sections of the text need to know about the page. */
export interface TextPage {
  readonly width: number
  readonly full: boolean
  /** Whether the scan was complete, so that a missing finding means that there is none. */
  readonly coverageComplete: boolean
  /** The run to name where something was cut. */
  readonly runNumber: number
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
const longestSection = 50

export function openPage({ run, coverage }: Report, { colour, width, full }: RenderOptions): TextPage {
  return {
    width: width >= narrowest ? width : narrowest,
    full,
    coverageComplete: isCoverageComplete(coverage),
    runNumber: run.number,
    paint: painter(colour),
  }
}

/** For an answer about the history: it shows all its rows, each cut as in a report. */
export function openAnswerPage(runNumber: number, { colour, width }: Omit<RenderOptions, 'full'>): TextPage {
  return { width: Math.max(width, narrowest), full: false, coverageComplete: true, runNumber, paint: painter(colour) }
}

function painter(colour: boolean): Paint {
  return colour ? (style, text) => styleText([...styles[style]], text, { validateStream: false }) : (_, text) => text
}

/** The lines of the first entries, and a last line that counts the omitted ones and says how to see them. */
export function showEntries<Entry>(
  entries: readonly Entry[],
  page: TextPage,
  show: (entry: Entry) => readonly string[],
): string[] {
  const shown = firstEntries(entries, page)
  const left = entries.length - shown.length
  const lines = shown.flatMap(show)
  return left === 0 ? lines : [...lines, '', page.paint('aside', `… and ${left} more; ${howToSeeAll(page)}`)]
}

export function firstEntries<Entry>(entries: readonly Entry[], { full }: TextPage): readonly Entry[] {
  return full ? entries : entries.slice(0, longestSection)
}

function howToSeeAll({ runNumber }: TextPage): string {
  return `hookdrift report --run ${runNumber} --format json shows all`
}
