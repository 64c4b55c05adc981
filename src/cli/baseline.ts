import { type Command, Option } from 'commander'
import type { HistoryOptions } from '../app/open-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes } from '../model/errors.ts'
import { defineBaselineExport, defineBaselineImport } from './baseline-files.ts'
import { addSignature, printLine, signature } from './baseline-options.ts'
import {
  addHistoryOptions,
  addProjectOption,
  addReadingOptions,
  limitOf,
  printAnswer,
  type ReadingOptions,
  runNamed,
  runOrTime,
  withHistory,
} from './query-options.ts'

interface Chosen extends HistoryOptions {
  readonly project: readonly string[]
}

interface ApproveOptions extends Chosen {
  readonly run: string
  readonly note?: string
  readonly by?: string
}

export function defineBaseline(program: Command, execute: Execute): void {
  const baseline = program.command('baseline').description('Approve states of projects for drift rules to compare with')
  addSignature(addHistoryOptions(addProjectOption(baseline.command('approve'))))
    .description('Approve the state that a run recorded; drift rules compare with it from then on')
    .option('--run <run>', runOrTime, 'latest')
    .addOption(new Option('--note <text>', 'reason, for the record').default('', 'none'))
    .action((options: ApproveOptions) => execute((terminal) => approve(options, terminal)))
  addReadingOptions(addProjectOption(baseline.command('show')))
    .description('Show the approved baselines: who approved them and when')
    .option('--all', 'also superseded and revoked baselines')
    .action((options: ReadingOptions & Chosen & { all?: boolean }) => execute((terminal) => show(options, terminal)))
  addReadingOptions(addProjectOption(baseline.command('diff')))
    .description('Compare the last run with the approved baseline')
    .action((options: ReadingOptions & Chosen) => execute((terminal) => diff(options, terminal)))
  addSignature(addHistoryOptions(addProjectOption(baseline.command('revoke'))))
    .description('Revoke approvals; drift rules then compare with the last complete scan')
    .action((options: ApproveOptions) => execute((terminal) => revoke(options, terminal)))
  defineBaselineExport(baseline, execute)
  defineBaselineImport(baseline, execute)
}

async function approve({ run: name, note = '', by, project, ...place }: ApproveOptions, terminal: ProcessContext) {
  const { approvalsOf } = await import('../audit/approve-run.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  return withHistory(place, terminal, async (history) => {
    const run = await runNamed(history, name)
    const approvals = await approvalsOf(history, run, (name) => matchesProject(name, project), {
      ...signature(by),
      note,
    })
    await history.approve(approvals)
    const names = approvals.map((approval) => approval.project.name)
    await printLine(terminal, `Approved the state of run ${run.number}: ${names.join(', ')}.`)
    return exitCodes.clean
  })
}

async function show(
  { project: projects, all = false, ...options }: ReadingOptions & Chosen & { all?: boolean },
  terminal: ProcessContext,
) {
  const { baselinesView, readBaselines } = await import('../queries/read-baselines.ts')
  const answer = await withHistory(options, terminal, (history) => readBaselines(history, { projects, all }))
  return printAnswer(answer, baselinesView, options.format, terminal)
}

async function diff({ project: projects, ...options }: ReadingOptions & Chosen, terminal: ProcessContext) {
  const { readBaselineDiff } = await import('../queries/read-baseline-diff.ts')
  const { diffView } = await import('../queries/read-diff.ts')
  const limit = limitOf(options)
  const answer = await withHistory(options, terminal, (history) => readBaselineDiff(history, { projects, limit }))
  return printAnswer(
    answer,
    { ...diffView, nothing: 'Nothing differs from the approved baseline.' },
    options.format,
    terminal,
  )
}

async function revoke({ project, by, ...place }: ApproveOptions, terminal: ProcessContext) {
  const { activeApprovals } = await import('../history/approvals.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  return withHistory(place, terminal, async (history) => {
    const chosen = activeApprovals(await history.approvals()).filter((approval) =>
      matchesProject(approval.project.name, project),
    )
    if (chosen.length === 0) {
      throw AuditError.usage(`nothing to revoke${project.length === 0 ? '' : ` of ${project.join(' ')}`}`, {
        advice: '`hookdrift baseline show` lists the approved baselines',
      })
    }
    await history.revoke(
      chosen.map(({ id }) => id),
      signature(by),
    )
    await printLine(terminal, `Revoked the baseline of ${chosen.map((approval) => approval.project.name).join(', ')}.`)
    return exitCodes.clean
  })
}
