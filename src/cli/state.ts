import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  answerFromHistory,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runNamed,
  runOrTime,
} from './query-options.ts'

interface StateOptions extends ReadingOptions, ChoiceOptions {
  readonly at: string
}

export function defineState(program: Command, execute: Execute): void {
  const command = program
    .command('state')
    .description('List the resources as of a run or a time')
    .option('--run, --at <run|time>', runOrTime, 'latest')
  addReadingOptions(addKindOption(addProjectOption(command))).action((options: StateOptions) =>
    execute((terminal) => state(options, terminal)),
  )
}

async function state(options: StateOptions, terminal: ProcessContext): Promise<number> {
  const { readState, stateView } = await import('../queries/read-state.ts')
  const { project: projects, kind, at } = options
  return answerFromHistory(options, terminal, stateView, async (reader) =>
    readState(reader, { run: await runNamed(reader, at), projects, kind, limit: limitOf(options) }),
  )
}
