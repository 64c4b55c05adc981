import { resolve } from 'node:path'
import type { Command } from 'commander'
import { openMasking } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { compareApprovals } from '../audit/approve-run.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { sealWords } from '../inventory/seal-text.ts'
import { AuditError } from '../model/errors.ts'
import { answerApproval, approvalView, baselineImportForm } from '../questions/answer-writes.ts'
import { type ApprovingOptions, addApproving, readStateFiles, signature } from './baseline-options.ts'
import { confirmApproval } from './confirm-approval.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf } from './query-options.ts'

export function defineBaselineImport(command: Command, execute: Execute): void {
  addApproving(addReadingOptions(addProjectOption(command.argument('<directory>')))).action(
    (directory: string, options: ApprovingOptions) => execute((terminal) => importStates(directory, options, terminal)),
  )
}

async function importStates(named: string, options: ApprovingOptions, terminal: ProcessContext): Promise<number> {
  const { project, by, yes = false, format } = options
  const masking = await openMasking(options, terminal)
  const note = sealWords(options.note ?? '', masking)
  const states = readStateFiles(resolve(terminal.cwd(), named)).filter((state) =>
    matchesProject(state.project.name, project),
  )
  if (states.length === 0) throw AuditError.usage(`${named} has no state of ${project.join(' ')}`)
  const view = approvalView(() => `Approved the states in ${named}:`)
  return answerFromHistory(options, terminal, view, async (history) => {
    const signed = { ...signature(by, masking), note }
    const imported = states.map(({ project, scopes, resources }) => {
      return { project, scopes, ...signed, state: { resources } }
    })
    const approvals = await compareApprovals(history, imported)
    const ends = await confirmApproval(history, { approvals, note, yes, format }, terminal)
    await history.approve(approvals)
    return answerApproval(baselineImportForm, approvals, { limit: limitOf(options), ends })
  })
}
