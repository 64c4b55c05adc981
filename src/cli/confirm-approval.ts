import { untilSignalled } from '../app/end-in-order.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { NewApproval } from '../history/approvals.ts'
import type { OpenHistory } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'
import { countSeverities, severities } from '../model/violation.ts'
import { describeEnded, type EndedRow, gravest, readEndedBy } from '../questions/ended-by-approval.ts'
import type { AnswerFormat } from '../report/answer-formats.ts'
import { countEach } from '../text/count.ts'

/**
 * Says what approvals end before they do. A person at a terminal is asked; elsewhere the command goes on.
 * @throws AuditError.usage where something grave would end without a note, and where the person says no
 */
export async function confirmApproval(
  history: OpenHistory,
  {
    approvals,
    note,
    yes,
    format,
  }: {
    readonly approvals: readonly NewApproval[]
    readonly note: string
    readonly yes: boolean
    readonly format: AnswerFormat
  },
  terminal: ProcessContext,
): Promise<readonly EndedRow[]> {
  const ended = await readEndedBy(history, approvals)
  const described = describeEnded(ended).map((line) => `${line}\n`)
  const grave = gravest(ended)
  if (grave.length > 0 && note.trim() === '') {
    throw AuditError.usage(
      `nothing was approved: it ends violations (${countEach(severities, countSeverities(grave))}), without a note`,
      {
        advice: `say why with --note TEXT. ${described.join('').trimEnd()}`,
      },
    )
  }
  if (ended.length === 0) return ended
  const isAsked = !yes && terminal.stdout.isTTY === true && process.stdin.isTTY && terminal.env.TERM !== 'dumb'
  const output = format === 'text' ? terminal.stdout : terminal.stderr
  // Elsewhere, other formats have it as rows.
  if (isAsked || format === 'text') output.write(described.join(''))
  if (isAsked && !(await ask('Approve?'))) throw new AuditError('usage', 'nothing was approved')
  return ended
}

async function ask(question: string): Promise<boolean> {
  const { openAsker } = await import('../init/ask.ts')
  const { result } = await untilSignalled(async (signal) => {
    try {
      return await openAsker(process.stdin, process.stderr, signal).confirm(question)
    } catch (error) {
      if (error instanceof Stop || signal.aborted) return false
      throw error
    }
  })
  return result
}
