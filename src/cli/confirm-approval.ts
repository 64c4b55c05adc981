import { untilSignalled } from '../app/end-in-order.ts'
import type { ProcessContext } from '../app/process-context.ts'
import type { ComparedApproval } from '../audit/approve-run.ts'
import type { OpenHistory } from '../history/history.ts'
import { AuditError } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'
import { countSeverities, severities } from '../model/violation.ts'
import {
  describeEnded,
  describeSuperseded,
  type EndedRow,
  gravest,
  readEndedBy,
} from '../questions/ended-by-approval.ts'
import type { AnswerFormat } from '../report/answer-formats.ts'
import { countEach } from '../text/count.ts'

/**
 * Says what approvals end and whose they supersede, before they do. A person at a terminal is asked; elsewhere the command
 * goes on where nothing grave ends.
 * @throws AuditError.usage where something grave would end without a note, or elsewhere without `yes`, and where the
 * person says no
 */
export async function confirmApproval(
  history: OpenHistory,
  {
    approvals,
    note,
    yes,
    format,
  }: {
    readonly approvals: readonly ComparedApproval[]
    readonly note: string
    readonly yes: boolean
    readonly format: AnswerFormat
  },
  terminal: ProcessContext,
): Promise<readonly EndedRow[]> {
  const ended = await readEndedBy(history, approvals)
  const described = [...describeSuperseded(approvals), ...describeEnded(ended)].map((line) => `${line}\n`)
  const grave = gravest(ended)
  const isAtTerminal = terminal.stdout.isTTY === true && process.stdin.isTTY && terminal.env.TERM !== 'dumb'
  const [lacksNote, lacksYes] = [note.trim() === '', !yes && !isAtTerminal]
  if (grave.length > 0 && (lacksNote || lacksYes)) {
    const advice = [...(lacksNote ? ['say why with --note TEXT'] : []), ...(lacksYes ? ['add --yes'] : [])]
    throw AuditError.usage(
      `nothing was approved: it ends violations (${countEach(severities, countSeverities(grave))}), ${lacksNote ? 'without a note' : 'and there is no terminal to ask on'}\n${described.join('').trimEnd()}`,
      { advice: advice.join(', and ') },
    )
  }
  if (described.length === 0) return ended
  const isAsked = !yes && isAtTerminal && ended.length > 0
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
