import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { baselinesView, readBaselines } from '../queries/read-baselines.ts'
import type { BaselineOptions } from './baseline-options.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions } from './query-options.ts'

interface ShowOptions extends BaselineOptions {
  readonly all?: boolean
}

export function defineBaselineShow(command: Command, execute: Execute): void {
  addReadingOptions(addProjectOption(command))
    .option('--all', 'also superseded and revoked baselines')
    .action((options: ShowOptions) => execute((terminal) => show(options, terminal)))
}

async function show({ project: projects, all = false, ...options }: ShowOptions, terminal: ProcessContext) {
  return answerFromHistory(options, terminal, baselinesView, (history) => readBaselines(history, { projects, all }))
}
