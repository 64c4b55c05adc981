import type { Command } from 'commander'
import type { Terminal } from '../app/terminal.ts'
import type { Execute } from './execute.ts'
import { addReadingOptions, asking, limitOf, type ReadingOptions, tellAnswer } from './reading.ts'

export function defineRuns(program: Command, execute: Execute): void {
  const command = program.command('runs').description('List the runs, newest first, interrupted ones too')
  addReadingOptions(command).action((options: ReadingOptions) => execute((terminal) => runs(options, terminal)))
}

async function runs(options: ReadingOptions, terminal: Terminal): Promise<number> {
  const { readRuns, runsFace } = await import('../reading/read-runs.ts')
  const answer = await asking(options, terminal, (reader) => readRuns(reader, limitOf(options)))
  return tellAnswer(answer, runsFace, options.format, terminal)
}
