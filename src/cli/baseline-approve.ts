import type { Command } from 'commander'
import { openMasking } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { amendedApprovalsOf, approvalsOf } from '../audit/approve-run.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { sealWords } from '../inventory/seal-text.ts'
import { answerApproval, approvalView, baselineApproveForm } from '../questions/answer-writes.ts'
import { runNamed, runOrTime, uidOrName } from '../questions/question.ts'
import { type ApprovingOptions, addApproving, signature } from './baseline-options.ts'
import { confirmApproval } from './confirm-approval.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf } from './query-options.ts'

interface ApproveOptions extends ApprovingOptions {
  readonly run: string
  readonly uid?: readonly string[]
}

export function defineBaselineApprove(command: Command, execute: Execute): void {
  addApproving(addReadingOptions(addProjectOption(command)))
    .option('--run <run>', `the run whose state is approved: ${runOrTime}`, 'latest')
    .option('--uid <uid...>', `approve only these resources: ${uidOrName}; the others stay as approved before`)
    .action((options: ApproveOptions) => execute((terminal) => approve(options, terminal)))
}

async function approve(options: ApproveOptions, terminal: ProcessContext): Promise<number> {
  const { by, project, uid: uids = [], yes = false, format } = options
  const masking = await openMasking(options, terminal)
  const note = sealWords(options.note ?? '', masking)
  const isChosen = (name: string) => matchesProject(name, project)
  const view = approvalView((run) =>
    uids.length === 0 ? `Approved the state of run ${run}:` : `Approved ${uids.join(', ')} as of run ${run}:`,
  )
  return answerFromHistory(options, terminal, view, async (history) => {
    const run = await runNamed(history, options.run)
    const signed = { ...signature(by, masking), note }
    const approvals =
      uids.length === 0
        ? await approvalsOf(history, run, isChosen, signed)
        : await amendedApprovalsOf(history, run, { uids, isChosen }, signed)
    const ends = await confirmApproval(history, { approvals, note, yes, format }, terminal)
    await history.approve(approvals)
    return answerApproval(baselineApproveForm, approvals, { limit: limitOf(options), run, ends })
  })
}
