/** As much of a stream as commands use. */
export interface Output {
  /** `done` is called when the text is on its way, or with the error that kept it. */
  write(text: string, done?: (error?: Error | null) => void): boolean
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown
  /** What waits to be written. */
  readonly writableLength?: number
  readonly isTTY?: boolean
  /** Of a terminal. */
  readonly columns?: number
}

/** What a command needs of the process it runs in. */
export interface ProcessContext {
  readonly stdout: Output
  readonly stderr: Output
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
}

const usualColumns = 100

/** Columns to lay text out for, and whether colour may be used. A pipe gets plain text for 100 columns. */
export function lookOf({ stdout, env }: ProcessContext): { colour: boolean; width: number } {
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb'
  const isWatched = stdout.isTTY === true
  return { colour: isWatched && !isPlain, width: isWatched ? (stdout.columns ?? usualColumns) : usualColumns }
}
