import type { Command } from 'commander'
import { openMasking } from '../app/locate-history.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { activeApprovals } from '../history/approvals.ts'
import { listApprovals } from '../history/sql/approvals.ts'
import { AuditError } from '../model/errors.ts'
import { answerRevocation, revocationView } from '../questions/answer-writes.ts'
import { addSignature, type BaselineOptions, signature } from './baseline-options.ts'
import { answerFromHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf } from './query-options.ts'

export function defineBaselineRevoke(command: Command, execute: Execute): void {
  addSignature(addReadingOptions(addProjectOption(command))).action((options: BaselineOptions) =>
    execute((terminal) => revoke(options, terminal)),
  )
}

async function revoke(options: BaselineOptions, terminal: ProcessContext): Promise<number> {
  const { project, by } = options
  return answerFromHistory(options, terminal, revocationView, async (history) => {
    const active = activeApprovals(await listApprovals(history))
    const chosen = active.filter((approval) => matchesProject(approval.project.name, project))
    if (chosen.length === 0) {
      throw AuditError.usage(`nothing to revoke${project.length === 0 ? '' : ` of ${project.join(' ')}`}`, {
        advice: '`hookdrift baseline show` lists the approved baselines',
      })
    }
    const ids = chosen.map(({ id }) => id)
    await history.revoke(ids, signature(by, await openMasking(options, terminal)))
    return answerRevocation(chosen, limitOf(options))
  })
}
