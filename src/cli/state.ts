import type { Command } from 'commander'
import type { Execute } from './execute.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  type ChoiceOptions,
  limitOf,
  printAnswer,
  type ReadingOptions,
  runNamed,
  withHistoryReader,
} from './reading.ts'
import type { ProcessContext } from './terminal.ts'

interface StateOptions extends ReadingOptions, ChoiceOptions {
  readonly at: string
}

export function defineState(program: Command, execute: Execute): void {
  const command = program
    .command('state')
    .description('the resources as of a run or a date')
    .option('--at <run|date>', 'a number, latest, latest~N, or a date (the last run sealed by its end, UTC)', 'latest')
  addReadingOptions(addKindOption(addProjectOption(command))).action((options: StateOptions) =>
    execute((terminal) => state(options, terminal)),
  )
}

async function state(options: StateOptions, terminal: ProcessContext): Promise<number> {
  const { readState, stateView } = await import('../queries/read-state.ts')
  const { project: projects, kind, at } = options
  const answer = await withHistoryReader(options, terminal, async (reader) =>
    readState(reader, { run: await runNamed(reader, at), projects, kind, limit: limitOf(options) }),
  )
  return printAnswer(answer, stateView, options.format, terminal)
}
