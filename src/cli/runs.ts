import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { addReadingOptions, answerFromHistory, limitOf, type ReadingOptions } from './query-options.ts'

export function defineRuns(program: Command, execute: Execute): void {
  const command = program.command('runs').description('List the runs, newest first, with interrupted ones')
  addReadingOptions(command).action((options: ReadingOptions) => execute((terminal) => runs(options, terminal)))
}

async function runs(options: ReadingOptions, terminal: ProcessContext): Promise<number> {
  const { readRuns, runsView } = await import('../queries/read-runs.ts')
  return answerFromHistory(options, terminal, runsView, (reader) => readRuns(reader, limitOf(options)))
}
