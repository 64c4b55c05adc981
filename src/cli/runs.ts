import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { readRuns, runsView } from '../queries/read-runs.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import { addReadingOptions, limitOf, type ReadingOptions, runOrTime } from './query-options.ts'

interface RunsOptions extends ReadingOptions {
  readonly run?: string
}

export function defineRuns(command: Command, execute: Execute): void {
  command.option('--run <run|time>', `none after it: ${runOrTime}`)
  addReadingOptions(command).action((options: RunsOptions) => execute((terminal) => runs(options, terminal)))
}

async function runs(options: RunsOptions, terminal: ProcessContext): Promise<number> {
  return answerFromHistory(options, terminal, runsView, async (reader) =>
    readRuns(reader, {
      limit: limitOf(options),
      upTo: options.run === undefined ? undefined : await runNamed(reader, options.run),
    }),
  )
}
