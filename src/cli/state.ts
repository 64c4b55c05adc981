import type { Command } from 'commander'
import type { Terminal } from '../app/terminal.ts'
import type { Execute } from './execute.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  asking,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runNamed,
  runOrTime,
  tellAnswer,
} from './reading.ts'

interface StateOptions extends ReadingOptions, ChoiceOptions {
  readonly at: string
}

export function defineState(program: Command, execute: Execute): void {
  const command = program
    .command('state')
    .description('List the resources as of a run or a time')
    .option('--at <run|time>', runOrTime, 'latest')
  addReadingOptions(addKindOption(addProjectOption(command))).action((options: StateOptions) =>
    execute((terminal) => state(options, terminal)),
  )
}

async function state(options: StateOptions, terminal: Terminal): Promise<number> {
  const { readState, stateFace } = await import('../reading/read-state.ts')
  const { project: projects, kind, at } = options
  const answer = await asking(options, terminal, async (reader) =>
    readState(reader, { run: await runNamed(reader, at), projects, kind, limit: limitOf(options) }),
  )
  return tellAnswer(answer, stateFace, options.format, terminal)
}
