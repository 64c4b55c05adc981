import type { Command } from 'commander'
import { commandLine } from '../../src/cli/command-line.ts'

/** All commands, to read what their help says. */
export function buildCommandLine(): Promise<Command> {
  // as: of the streams, only `write` is used, and only for help.
  const silent = { write: () => true } as unknown as NodeJS.WriteStream
  return commandLine({ stdout: silent, stderr: silent }, 'all', async () => {})
}

export function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1)
  return /[.!?)]$/.test(capital) ? capital : `${capital}.`
}
