import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from '../../model/report.ts'
import { type Format, formats, loadFormats } from '../../report/formats.ts'
import { filesOf } from '../../report/report-files.ts'
import type { ReportFormat } from '../../report/report-format.ts'
import { accepted, type Outcome, refused, type SendMessage } from '../message.ts'

interface Directory {
  readonly path: string
  readonly formats: readonly Format[]
  readonly keep: number
}

/**
 * Puts each run's reports into a directory of its own, `run-000017/report.json`, and links `latest` to the newest.
 * Readers see a run's directory whole or not at all. `readReport`: undefined for a pruned run.
 */
export function sendToDirectory(
  directory: Directory,
  readReport: (run: number) => Promise<Report | undefined>,
): SendMessage {
  return async ({ run }) => {
    try {
      // A test can fail in every way that a delivery can.
      if (run === null) return tryDirectory(directory.path)
      const report = await readReport(run.number)
      if (report === undefined) return refused(`run ${run.number} is no longer in the history`)
      return putReports(directory, report, await loadFormats(new Set(directory.formats)))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      return refused(`cannot write there: ${error.code}`)
    }
  }
}

function tryDirectory(path: string): Outcome {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const file = join(path, '.hookdrift-test')
  writeFileSync(file, '', { mode: 0o600 })
  rmSync(file)
  return accepted
}

const runName = /^run-(\d{6,})$/

function putReports({ path, keep }: Directory, report: Report, writers: ReadonlyMap<Format, ReportFormat>): Outcome {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const name = `run-${`${report.run.number}`.padStart(6, '0')}`
  const draft = join(path, `.${name}.tmp`)
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { mode: 0o700 })
  for (const [format, write] of writers) {
    for (const { file, render } of filesOf(format, join(draft, `report${formats[format].extension}`))) {
      writeFileSync(file, write(report, render), { mode: 0o600, flush: true })
    }
  }
  replaceDirectory(draft, join(path, name))
  pointTo(path, name)
  forgetOld(path, { last: report.run.number, keep })
  return accepted
}

/** An existing directory is complete and of the same run; it is replaced, because the formats may have changed. */
function replaceDirectory(draft: string, target: string): void {
  const old = `${draft}.old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(target)) renameSync(target, old)
  renameSync(draft, target)
  rmSync(old, { recursive: true, force: true })
}

/** `latest` is replaced at once and always leads somewhere. Messages come in the order of the runs. */
function pointTo(path: string, name: string): void {
  const link = join(path, '.latest.tmp')
  rmSync(link, { force: true })
  symlinkSync(name, link)
  renameSync(link, join(path, 'latest'))
}

/** Runs after the last one are of a history from before an older copy was put in its place: they go first. */
function forgetOld(path: string, { last, keep }: { readonly last: number; readonly keep: number }): void {
  const runs = readdirSync(path).flatMap((name) => {
    const number = Number(runName.exec(name)?.[1])
    return Number.isNaN(number) ? [] : { name, number }
  })
  runs.sort((a, b) => Number(b.number > last) - Number(a.number > last) || a.number - b.number)
  for (const { name } of runs.slice(0, -keep)) rmSync(join(path, name), { recursive: true, force: true })
}
