/** What a command needs of the process it runs in. */
export interface Terminal {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  cwd(): string
}

/** Columns to lay text out for, and whether colour may be used. A pipe gets plain text for 100 columns. */
export function lookOf({ stdout, env }: Terminal): { colour: boolean; width: number } {
  const isPlain = (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb'
  return { colour: stdout.isTTY === true && !isPlain, width: stdout.isTTY === true ? stdout.columns : 100 }
}
