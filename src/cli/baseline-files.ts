import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type ApprovingOptions, addApproving, type BaselineOptions, signature, stateFiles } from './baseline-options.ts'
import {
  addProjectOption,
  addReadingOptions,
  answerFromHistory,
  limitOf,
  printAnswer,
  withHistory,
} from './query-options.ts'

export function defineBaselineExport(baseline: Command, execute: Execute): void {
  addReadingOptions(addProjectOption(baseline.command('export').argument('<directory>')))
    .description('Write the approved baselines as YAML to review, one file for each project')
    .action((directory: string, options: BaselineOptions) =>
      execute((terminal) => exportStates(directory, options, terminal)),
    )
}

export function defineBaselineImport(baseline: Command, execute: Execute): void {
  addApproving(addReadingOptions(addProjectOption(baseline.command('import').argument('<directory>'))))
    .description('Approve the states in exported files, and say what it ends')
    .action((directory: string, options: ApprovingOptions) =>
      execute((terminal) => importStates(directory, options, terminal)),
    )
}

async function exportStates(named: string, options: BaselineOptions, terminal: ProcessContext): Promise<number> {
  const { fileNames } = await import('../baseline/state-directory.ts')
  const { stateFileLimits, writeState } = await import('../baseline/state-file.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { activeApprovals } = await import('../history/approvals.ts')
  const { writeFileAtomically } = await import('../app/write-file-atomically.ts')
  const { answerExport, exportView } = await import('../queries/answer-writes.ts')

  const { project } = options
  const directory = resolve(terminal.cwd(), named)
  const written = await withHistory(options, terminal, async (history) => {
    const all = activeApprovals(await history.approvals())
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
      const text = writeState({ project, scopes, resources: await history.approvedResources(approval) })
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
  for (const { file, text } of written) writeFileAtomically(join(directory, file), text)
  const names = new Set(written.map(({ file }) => file))
  const others = readdirSync(directory).filter((name) => name.endsWith('.yaml') && !names.has(name))
  const rows = written.map(({ project, file }) => ({ project, file }))
  const answer = answerExport({ directory, rows, others: project.length > 0 ? [] : others }, limitOf(options))
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

async function importStates(named: string, options: ApprovingOptions, terminal: ProcessContext): Promise<number> {
  const { readStates } = await import('../baseline/state-directory.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { answerBaselineChange, baselineChangeView } = await import('../queries/answer-writes.ts')

  const { confirmApproval } = await import('./confirm-approval.ts')
  const { sealProse } = await import('../inventory/seal-prose.ts')
  const { maskingSealer } = await import('../inventory/masking-sealer.ts')
  const { project, by, yes = false, format } = options
  const note = sealProse(options.note ?? '', maskingSealer)
  const states = readStates(resolve(terminal.cwd(), named), stateFiles).filter((state) =>
    matchesProject(state.project.name, project),
  )
  if (states.length === 0) throw AuditError.usage(`${named} has no state of ${project.join(' ')}`)
  const view = baselineChangeView(() => `Approved the states in ${named}:`)
  return answerFromHistory(options, terminal, view, async (history) => {
    const signed = { ...signature(by), note }
    const approvals = states.map(({ project, scopes, resources }) => {
      return { project, scopes, ...signed, state: { resources } }
    })
    const ends = await confirmApproval(history, { approvals, note, yes, format }, terminal)
    await history.approve(approvals)
    return answerBaselineChange('baseline-import', states, { limit: limitOf(options), ends })
  })
}
