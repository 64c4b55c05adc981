import type { Report } from '../../src/model/report.ts'
import { type Format, formatNames } from '../../src/report/formats.ts'

/** A violation as a reader finds it in a report who knows nothing of our code. */
export interface Seen {
  readonly severity: string
  readonly rule: string
  readonly project: string
  readonly state: string
}

export interface Reading {
  readonly violations: readonly Seen[]
  /** undefined where the format has no place for it. */
  readonly exitCode: number | undefined
}

/** The test of a format: a file each in `formats`, by the format's name. */
export interface FormatTest {
  /** Set where reports have every text at full length; other formats cut texts of some thousand characters. */
  readonly isWhole?: true
  /** Reads a report back with a foreign reader; undefined where no machine can. */
  readonly read?: (text: string) => Reading
  /** What a hostile text of the service did to a report of the format; empty when nothing. */
  readonly damage: (text: string, report: Report) => readonly string[]
}

// Parsed documents are what tests are about: they are taken as they come.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Parsed = any

const loaded = formatNames.map(async (name) => [name, (await import(`./formats/${name}.ts`))[name]] as const)

/** The tests of all formats. A format without one fails here. */
export const formatTests = Object.fromEntries(await Promise.all(loaded)) as Readonly<Record<Format, FormatTest>>
