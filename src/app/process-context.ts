import type { HistoryReader } from '../history/reader.ts'
import { wrapLine } from '../model/text/columns.ts'
import { neutralise } from '../model/text/neutralise.ts'
import type { NamedHistory } from '../report/text/commands.ts'

/** The part of a stream that commands use. */
export interface Output {
  /** `done` is called when the stream has taken the text, or with the error. */
  write(text: string, done?: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  /** Bytes that wait to be written. */
  readonly writableLength?: number
  readonly isTTY?: boolean
  /** Only a terminal has it. */
  readonly columns?: number
}

/** What a command uses of its process. */
export interface ProcessContext {
  readonly stdout: Output
  readonly stderr: Output
  /** Absent where nothing is to be read. */
  readonly stdin?: AsyncIterable<Buffer> & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
  /** `--color` */
  readonly colour?: 'auto' | 'always' | 'never'
  /** `--bom` */
  readonly marksCsv?: boolean
  /** How the command line named its configuration and its history. */
  readonly locating?: NamedHistory
  /** Whom commands answer, where that is not a person at this terminal. */
  readonly reading?: HistoryAccess
}

export interface HistoryAccess {
  /** Shows only the projects of the reader. */
  readonly history: HistoryReader
  /** Patterns of these projects; absent: all. */
  readonly projects?: readonly string[]
}

/** How a command hands over its work; the program keeps the exit code that it returns. */
export type Execute = (run: (terminal: ProcessContext) => Promise<number>) => Promise<void>

export const usualColumns = 100

/**
 * Columns to lay text out for, and whether colour may be used. A pipe gets plain text for 100 columns, and so does a
 * terminal that does not know its size: it says 0.
 */
export function renderOptionsFor({ stdout, env, colour = 'auto' }: ProcessContext) {
  const isWatched = stdout.isTTY === true
  return {
    colour: colour === 'auto' ? wantsColour(env, isWatched) : colour === 'always',
    isScreen: isWatched,
    width: (isWatched && stdout.columns) || usualColumns,
  }
}

/** What an output begins with: Excel takes CSV without this mark for text of the machine's code page. */
export function markOf(format: string, { marksCsv = false }: Pick<ProcessContext, 'marksCsv'>): string {
  return format === 'csv' && marksCsv ? '\ufeff' : ''
}

/** https://no-color.org, https://force-color.org, https://bixense.com/clicolors */
function wantsColour(env: ProcessContext['env'], isWatched: boolean): boolean {
  if (env.NO_COLOR) return false
  const forced = env.FORCE_COLOR || env.CLICOLOR_FORCE
  if (forced) return forced !== '0' && forced !== 'false'
  return isWatched && env.TERM !== 'dumb'
}

/** Lines for people on stderr: wrapped for a terminal, and whole for a pipe, so that a search finds them. */
export function printMessage(text: string, { stderr }: Pick<ProcessContext, 'stderr'>): void {
  const width = stderr.isTTY === true ? stderr.columns || usualColumns : Number.POSITIVE_INFINITY
  const lines = text.split('\n').flatMap((line) => wrapLine(neutralise(line), width))
  stderr.write(`${lines.join('\n')}\n`)
}

export function printWarning(warning: string, terminal: Pick<ProcessContext, 'stderr'>): void {
  printMessage(`hookdrift: warning: ${neutralise(warning)}`, terminal)
}
