import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { readBaselineDiff } from '../queries/read-baseline-diff.ts'
import { diffView } from '../queries/read-diff.ts'
import type { BaselineOptions } from './baseline-options.ts'
import { answerFromHistory, runNamed } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf, runOrTime } from './query-options.ts'

interface DiffOptions extends BaselineOptions {
  readonly run?: string
}

export function defineBaselineDiff(command: Command, execute: Execute): void {
  addReadingOptions(addProjectOption(command))
    .option('--run <run|time>', `${runOrTime}; default: the last one`)
    .action((options: DiffOptions) => execute((terminal) => diff(options, terminal)))
}

async function diff({ project: projects, run, ...options }: DiffOptions, terminal: ProcessContext) {
  const view = { ...diffView, nothing: 'Nothing differs from the approved baseline.' }
  return answerFromHistory(options, terminal, view, async (history) =>
    readBaselineDiff(history, {
      run: run === undefined ? undefined : await runNamed(history, run),
      projects,
      limit: limitOf(options),
      approvals: await listApprovals(history),
    }),
  )
}
