import { styleText } from 'node:util'
import type { RenderOptions } from '../report-format.ts'
import { locateCommands, locatingOptions, type NamedHistory } from './commands.ts'

/** What the texts of answers need to know about the page. */
export interface TextPage {
  readonly width: number
  /** The run to name where something was cut. */
  readonly runNumber: number
  /** Options with which other commands read the same history; null where none can. */
  readonly locating: string | null
  /** Adds these options to the commands that a text has in backticks. */
  readonly locate: (text: string) => string
  readonly paint: Paint
}

export type Paint = (style: Style, text: string) => string
export type Style = keyof typeof styles

export function isStyle(name: string): name is Style {
  return Object.hasOwn(styles, name)
}

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

/** For an answer about the history: it shows all its rows, each cut as in a report. */
export function openAnswerPage(
  runNumber: number,
  { colour, width, locating = {} }: Omit<RenderOptions, 'full'>,
): TextPage {
  return {
    width: Math.max(width, narrowest),
    runNumber,
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
