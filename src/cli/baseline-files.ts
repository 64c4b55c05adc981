import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { HistoryOptions } from '../app/open-history.ts'
import { pathFrom } from '../app/path-from.ts'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { AuditError, exitCodes, reasonOf } from '../model/errors.ts'
import { addSignature, printLine, signature, stateFiles } from './baseline-options.ts'
import { addHistoryOptions, addProjectOption, withHistory } from './query-options.ts'

interface FileOptions extends HistoryOptions {
  readonly project: readonly string[]
  readonly note?: string
  readonly by?: string
}

export function defineBaselineExport(baseline: Command, execute: Execute): void {
  addHistoryOptions(addProjectOption(baseline.command('export').argument('<directory>')))
    .description('Write the approved baselines as YAML to review, one file for each project')
    .action((directory: string, options: FileOptions) =>
      execute((terminal) => exportStates(directory, options, terminal)),
    )
}

export function defineBaselineImport(baseline: Command, execute: Execute): void {
  addSignature(addHistoryOptions(addProjectOption(baseline.command('import').argument('<directory>'))))
    .description('Approve the states in exported files')
    .addOption(new Option('--note <text>', 'reason, for the record').default('', 'none'))
    .action((directory: string, options: FileOptions) =>
      execute((terminal) => importStates(directory, options, terminal)),
    )
}

async function exportStates(
  named: string,
  { project, ...place }: FileOptions,
  terminal: ProcessContext,
): Promise<number> {
  const { fileNames } = await import('../baseline/state-directory.ts')
  const { stateFileLimits, writeState } = await import('../baseline/state-file.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')
  const { activeApprovals } = await import('../history/approvals.ts')
  const { writeFileAtomically } = await import('../app/write-file-atomically.ts')

  const directory = pathFrom(terminal.cwd(), named)
  const written = await withHistory(place, terminal, async (history) => {
    const all = activeApprovals(await history.approvals())
    const chosen = all.filter((approval) => matchesProject(approval.project.name, project))
    if (chosen.length === 0) {
      throw AuditError.usage('nothing to export: these projects have no approved baseline', {
        advice: '`hookdrift baseline approve` approves the state of the last run',
      })
    }
    // Names are chosen among all approved projects, so that --project does not change a file's name.
    const names = fileNames(all.map((approval) => approval.project))
    const files: { readonly name: string; readonly text: string }[] = []
    for (const approval of chosen) {
      const { project, scopes } = approval
      const text = writeState({ project, scopes, resources: await history.approvedResources(approval) })
      if (Buffer.byteLength(text) > stateFileLimits.mebibytes * 1024 * 1024) {
        throw AuditError.usage(`the state of ${project.name} is larger than ${stateFileLimits.mebibytes} MiB`, {
          advice: '`hookdrift baseline import` cannot read such a file; leave the state in the history',
        })
      }
      files.push({ name: names.get(project) ?? '', text })
    }
    return files
  })
  makeDirectory(directory)
  for (const { name, text } of written) writeFileAtomically(join(directory, name), text)
  const names = new Set(written.map(({ name }) => name))
  const others = readdirSync(directory).filter((name) => name.endsWith('.yaml') && !names.has(name))
  await printLine(terminal, `Wrote ${written.map(({ name }) => name).join(', ')} to ${named}.`)
  if (others.length > 0 && project.length === 0) {
    await printLine(terminal, `Other files there, which no approved project has: ${others.join(', ')}.`)
  }
  return exitCodes.clean
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

async function importStates(named: string, options: FileOptions, terminal: ProcessContext): Promise<number> {
  const { readStates } = await import('../baseline/state-directory.ts')
  const { matchesProject } = await import('../config/choose-projects.ts')

  const { project, by, note = '', ...place } = options
  const states = readStates(pathFrom(terminal.cwd(), named), stateFiles).filter((state) =>
    matchesProject(state.project.name, project),
  )
  if (states.length === 0) throw AuditError.usage(`${named} has no state of ${project.join(' ')}`)
  return withHistory(place, terminal, async (history) => {
    const signed = { ...signature(by), note }
    await history.approve(
      states.map(({ project, scopes, resources }) => ({ project, scopes, ...signed, state: { resources } })),
    )
    await printLine(
      terminal,
      `Approved the states in ${named}: ${states.map((state) => state.project.name).join(', ')}.`,
    )
    return exitCodes.clean
  })
}
