import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readState, stateView } from '../queries/read-state.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  type ChoiceOptions,
  limitOf,
  type ReadingOptions,
  runOrTime,
} from './query-options.ts'

interface StateOptions extends ReadingOptions, ChoiceOptions {
  readonly at: string
}

export function defineState(command: Command, execute: Execute): void {
  command.option('--run, --at <run|time>', runOrTime, 'latest')
  addReadingOptions(addKindOption(addProjectOption(command))).action((options: StateOptions) =>
    execute((terminal) => state(options, terminal)),
  )
}

async function state(options: StateOptions, terminal: ProcessContext): Promise<number> {
  const { project: projects, kind, at } = options
  return answerFromHistory(options, terminal, stateView, async (reader) =>
    readState(reader, { run: await runNamed(reader, at), projects, kind, limit: limitOf(options) }),
  )
}
