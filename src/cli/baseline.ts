import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError } from '../model/errors.ts'
import { defineBaselineExport, defineBaselineImport } from './baseline-files.ts'
import {
  type ApprovingOptions,
  addApproving,
  addSignature,
  type BaselineOptions,
  signature,
} from './baseline-options.ts'
import {
  addProjectOption,
  addReadingOptions,
  answerFromHistory,
  limitOf,
  runNamed,
  runOrTime,
} from './query-options.ts'

interface ApproveOptions extends ApprovingOptions {
  readonly run: string
  readonly uid?: readonly string[]
}

interface DiffOptions extends BaselineOptions {
  readonly run?: string
}

interface ShowOptions extends BaselineOptions {
  readonly all?: boolean
}

export function defineBaseline(program: Command, execute: Execute): void {
  const baseline = program.command('baseline').description('Approve states of projects for drift rules to compare with')
  const define = (name: string) => addReadingOptions(addProjectOption(baseline.command(name)))
  addApproving(define('approve'))
    .description(
      'Approve the state that a run recorded, and say what it ends; drift rules compare with it from then on',
    )
    .option('--run <run>', runOrTime, 'latest')
    .option('--uid <uid...>', 'only these resources; the rest stays as it was approved before')
    .action((options: ApproveOptions) => execute((terminal) => approve(options, terminal)))
  define('show')
    .description('Show the approved baselines: who approved them and when')
    .option('--all', 'also superseded and revoked baselines')
    .action((options: ShowOptions) => execute((terminal) => show(options, terminal)))
  define('diff')
    .description('Compare a run with the approved baseline')
    .option('--run <run|time>', `${runOrTime}; default: the last one`)
    .action((options: DiffOptions) => execute((terminal) => diff(options, terminal)))
  addSignature(define('revoke'))
    .description('Revoke approvals; drift rules then compare with the last complete scan')
    .action((options: BaselineOptions) => execute((terminal) => revoke(options, terminal)))
  defineBaselineExport(baseline, execute)
  defineBaselineImport(baseline, execute)
}

async function approve(options: ApproveOptions, terminal: ProcessContext): Promise<number> {
  const { amendedApprovalsOf, approvalsOf } = await import('../audit/approve-run.ts')
  const { confirmApproval } = await import('./confirm-approval.ts')
  const { sealProse } = await import('../inventory/seal-prose.ts')
  const { maskingSealer } = await import('../inventory/masking-sealer.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { answerBaselineChange, baselineChangeView } = await import('../queries/answer-writes.ts')
  const { by, project, uid: uids = [], yes = false, format } = options
  const note = sealProse(options.note ?? '', maskingSealer)
  const isChosen = (name: string) => matchesProject(name, project)
  const view = baselineChangeView((run) =>
    uids.length === 0 ? `Approved the state of run ${run}:` : `Approved ${uids.join(', ')} as of run ${run}:`,
  )
  return answerFromHistory(options, terminal, view, async (history) => {
    const run = await runNamed(history, options.run)
    const signed = { ...signature(by), note }
    const approvals =
      uids.length === 0
        ? await approvalsOf(history, run, isChosen, signed)
        : await amendedApprovalsOf(history, run, { uids, isChosen }, signed)
    const ends = await confirmApproval(history, { approvals, note, yes, format }, terminal)
    await history.approve(approvals)
    return answerBaselineChange('baseline-approve', approvals, { limit: limitOf(options), run, ends })
  })
}

async function show({ project: projects, all = false, ...options }: ShowOptions, terminal: ProcessContext) {
  const { baselinesView, readBaselines } = await import('../queries/read-baselines.ts')
  return answerFromHistory(options, terminal, baselinesView, (history) => readBaselines(history, { projects, all }))
}

async function diff({ project: projects, run, ...options }: DiffOptions, terminal: ProcessContext) {
  const { readBaselineDiff } = await import('../queries/read-baseline-diff.ts')
  const { diffView } = await import('../queries/read-diff.ts')
  const view = { ...diffView, nothing: 'Nothing differs from the approved baseline.' }
  return answerFromHistory(options, terminal, view, async (history) =>
    readBaselineDiff(history, {
      run: run === undefined ? undefined : await runNamed(history, run),
      ...{ projects, limit: limitOf(options) },
    }),
  )
}

async function revoke(options: BaselineOptions, terminal: ProcessContext): Promise<number> {
  const { activeApprovals } = await import('../history/approvals.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { answerBaselineChange, baselineChangeView } = await import('../queries/answer-writes.ts')
  const { project, by } = options
  const view = baselineChangeView(() => 'Revoked the baseline of')
  return answerFromHistory(options, terminal, view, async (history) => {
    const active = activeApprovals(await history.approvals())
    const chosen = active.filter((approval) => matchesProject(approval.project.name, project))
    if (chosen.length === 0) {
      throw AuditError.usage(`nothing to revoke${project.length === 0 ? '' : ` of ${project.join(' ')}`}`, {
        advice: '`hookdrift baseline show` lists the approved baselines',
      })
    }
    const ids = chosen.map(({ id }) => id)
    await history.revoke(ids, signature(by))
    return answerBaselineChange('baseline-revoke', chosen, { limit: limitOf(options) })
  })
}
