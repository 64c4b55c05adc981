import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { untilSignalled } from '../app/end-in-order.ts'
import { openMasking } from '../app/locate-history.ts'
import type { ProcessContext } from '../app/process-context.ts'
import { writeFileAtomically } from '../app/write-file-atomically.ts'
import { amendedApprovalsOf, approvalsOf, type ComparedApproval, compareApprovals } from '../audit/approve-run.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { fileNames, stateFileLimits, writeState } from '../config/state-file.ts'
import { sealWords } from '../gateway/inventory/seal-text.ts'
import { activeApprovals } from '../history/approvals.ts'
import type { OpenHistory } from '../history/history.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { Stop } from '../model/stop.ts'
import { countEach } from '../model/text/count.ts'
import { countSeverities, severities } from '../model/violation.ts'
import {
  answerApproval,
  answerExport,
  answerRevocation,
  approvalView,
  baselineApproveForm,
  baselineImportForm,
  exportView,
  revocationView,
} from '../questions/answer-writes.ts'
import {
  describeEnded,
  describeSuperseded,
  type EndedRow,
  gravest,
  readEndedBy,
} from '../questions/ended-by-approval.ts'
import { runNamed, runOrTime, uidOrName } from '../questions/question.ts'
import type { AnswerFormat } from '../report/answer-formats.ts'
import {
  type ApprovingOptions,
  addApproving,
  addSignature,
  type BaselineOptions,
  readStateFiles,
  signature,
} from './baseline-options.ts'
import { answerFromHistory, printAnswer, withHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf } from './query-options.ts'

interface ApproveOptions extends ApprovingOptions {
  readonly run: string
  readonly uid?: readonly string[]
}

export function defineBaselineApprove(command: Command) {
  addApproving(addReadingOptions(addProjectOption(command)))
    .option('--run <run>', `the run whose state is approved: ${runOrTime}`, 'latest')
    .option('--uid <uid...>', `approve only these resources: ${uidOrName}; the others stay as approved before`)

  return approve
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

export function defineBaselineImport(command: Command) {
  addApproving(addReadingOptions(addProjectOption(command.argument('<directory>'))))
  return importStates
}

async function importStates(options: ApprovingOptions, terminal: ProcessContext, named: string): Promise<number> {
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

export function defineBaselineRevoke(command: Command) {
  addSignature(addReadingOptions(addProjectOption(command)))
  return revoke
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

export function defineBaselineExport(command: Command) {
  addReadingOptions(addProjectOption(command.argument('<directory>')))
  return exportStates
}

async function exportStates(options: BaselineOptions, terminal: ProcessContext, named: string): Promise<number> {
  const { project } = options
  const directory = resolve(terminal.cwd(), named)
  const written = await withHistory(options, terminal, async (history) => {
    const all = activeApprovals(await listApprovals(history))
    const chosen = all.filter((approval) => matchesProject(approval.project.name, project))
    if (chosen.length === 0) {
      throw AuditError.usage('nothing to export: these projects have no approved baseline', {
        advice: '`hookdrift baseline approve` approves the state of the last run',
      })
    }
    // Names are chosen among all approved projects, so that --project does not change a file's name.
    const names = fileNames(all.map((approval) => approval.project))
    const files: { readonly project: string; readonly file: string; readonly text: string }[] = []
    for (const approval of chosen) {
      const { project, scopes } = approval
      const text = writeState({ project, scopes, resources: await readApprovedResources(history, approval) })
      if (Buffer.byteLength(text) > stateFileLimits.mebibytes * 1024 * 1024) {
        throw AuditError.usage(`the state of ${project.name} is larger than ${stateFileLimits.mebibytes} MiB`, {
          advice: '`hookdrift baseline import` cannot read such a file; leave the state in the history',
        })
      }
      files.push({ project: project.name, file: names.get(project) ?? '', text })
    }
    return files
  })
  makeDirectory(directory)
  const advice = 'the baselines are unchanged: correct the directory, or name another one'
  for (const { file, text } of written) {
    writeFileAtomically(join(directory, file), text, { what: 'the state', advice })
  }
  const names = new Set(written.map(({ file }) => file))
  const furtherFiles = readdirSync(directory).filter((name) => name.endsWith('.yaml') && !names.has(name))
  const rows = written.map(({ project, file }) => ({ project, file }))
  const answer = answerExport(
    { directory, rows, furtherFiles: project.length > 0 ? [] : furtherFiles },
    limitOf(options),
  )
  return printAnswer(answer, exportView(named), options.format, terminal)
}

/** One level only: a mistyped path must not make a tree of directories. */
function makeDirectory(directory: string): void {
  if (existsSync(directory)) return
  try {
    mkdirSync(directory, { mode: 0o700 })
  } catch (error) {
    throw AuditError.usage(`cannot make the directory ${directory}: ${reasonOf(error)}`)
  }
}

/**
 * Says what approvals end and whose they supersede, before they do. A person at a terminal is asked; elsewhere the command
 * goes on where nothing grave ends.
 * @throws AuditError.usage where something grave would end without a note, or elsewhere without `yes`, and where the
 * person says no
 */
async function confirmApproval(
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
  const { openAsker } = await import('./init/ask.ts')
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
