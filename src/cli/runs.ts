import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { addReadingOptions, limitOf, printAnswer, type ReadingOptions, withHistory } from './query-options.ts'

export function defineRuns(program: Command, execute: Execute): void {
  const command = program.command('runs').description('List the runs, newest first, with interrupted ones')
  addReadingOptions(command).action((options: ReadingOptions) => execute((terminal) => runs(options, terminal)))
}

async function runs(options: ReadingOptions, terminal: ProcessContext): Promise<number> {
  const { readRuns, runsView } = await import('../queries/read-runs.ts')
  const answer = await withHistory(options, terminal, (reader) => readRuns(reader, limitOf(options)))
  return printAnswer(answer, runsView, options.format, terminal)
}
