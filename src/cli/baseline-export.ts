import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { writeFileAtomically } from '../app/write-file-atomically.ts'
import { fileNames, stateFileLimits, writeState } from '../baseline/state-file.ts'
import { matchesProject } from '../config/choose-projects.ts'
import { activeApprovals } from '../history/approvals.ts'
import { listApprovals, readApprovedResources } from '../history/sql/approvals.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { answerExport, exportView } from '../questions/answer-writes.ts'
import type { BaselineOptions } from './baseline-options.ts'
import { printAnswer, withHistory } from './print-answer.ts'
import { addProjectOption, addReadingOptions, limitOf } from './query-options.ts'

export function defineBaselineExport(command: Command, execute: Execute): void {
  addReadingOptions(addProjectOption(command.argument('<directory>'))).action(
    (directory: string, options: BaselineOptions) => execute((terminal) => exportStates(directory, options, terminal)),
  )
}

async function exportStates(named: string, options: BaselineOptions, terminal: ProcessContext): Promise<number> {
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
