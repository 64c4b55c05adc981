import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { HistoryOptions } from '../app/locate-history.ts'
import { type ProcessContext, renderOptionsFor } from '../app/process-context.ts'
import { readTextFile } from '../app/read-text-file.ts'
import { isSpecialFile, writeFileAtomically } from '../app/write-file-atomically.ts'
import { readPrivateKey } from '../attestation/keys.ts'
import { type Attested, attest } from '../attestation/statement.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { type Format, formatNames } from '../report/formats.ts'
import { fileRenderOptions, type ReportFile } from '../report/report-files.ts'
import type { RenderOptions } from '../report/report-format.ts'
import { suggestName } from '../text/nearest-name.ts'
import type { FormatOptions } from './formats.ts'
import { locatingOptions } from './locating-options.ts'

/**
 * Plans where a report goes: to stdout or `--output`, and to the files of `--report`. Options and files are checked
 * here, before the run. The returned function writes every file that can be written, then throws the first failure
 * (AuditError.failure).
 * @throws AuditError.usage when options contradict each other or a file cannot be written
 */
export function planDelivery<Document extends Attested>(
  options: FormatOptions & Partial<HistoryOptions>,
  terminal: ProcessContext,
  writers: Writers<Document>,
): (document: Document, past?: Pick<RenderOptions, 'trend'>) => void {
  const { format, section, output, quiet = false, groupBy = 'rule' } = options
  if (section !== undefined && format !== 'csv') {
    throw AuditError.usage(`--section ${section} is for --format csv, not ${format}`)
  }
  const ofSection = section === undefined ? {} : { section }
  const ofText = { groupBy, locating: locatingOptions(options) }
  const write = writers.writerOf(format)
  const main =
    output === undefined
      ? []
      : [{ format, file: resolve(terminal.cwd(), output), render: { ...fileRenderOptions, ...ofText, ...ofSection } }]
  const more = options.report.flatMap((option) => parseReportOption(option, terminal, writers))
  refuseDuplicates([...main, ...more])
  for (const { file } of main) refuseUnwritable('--output', file)
  for (const { file } of more) refuseUnwritable('--report', file)
  const attestor = attestorOf(options, [...main, ...more], terminal)
  return (document, past = {}) => {
    if (output === undefined && !quiet) {
      terminal.stdout.write(
        write(document, { ...renderOptionsFor(terminal), full: false, ...ofText, ...ofSection, ...past }),
      )
    }
    writeEach([...main, ...more], ({ format: name, file, render }) => {
      const text = writers.writerOf(name)(document, { ...ofText, ...render, ...past })
      writeFileAtomically(file, text)
      if (attestor !== undefined) writeFileAtomically(attestationOf(file), attestor(basename(file), text, document))
    })
  }
}

/** Renders documents of one kind in each format. */
export interface Writers<Document> {
  /** @throws AuditError.usage when such documents do not have that format */
  writerOf(format: Format): (document: Document, render: RenderOptions) => string
  /** The files that `FORMAT=FILE` writes. */
  filesOf(format: Format, file: string): readonly ReportFile[]
}

function parseReportOption(option: string, { cwd }: ProcessContext, writers: Writers<never>): readonly ReportFile[] {
  const [, name, file] = /^([^=]*)=(.+)$/s.exec(option) ?? []
  if (name === undefined || file === undefined) {
    throw AuditError.usage(`--report ${option}: not a format and a file`, {
      advice: 'such as --report sarif=drift.sarif',
    })
  }
  if (!isFormat(name)) {
    throw AuditError.usage(`--report ${option}: there is no format "${name}"${suggestName(name, formatNames)}`, {
      advice: `formats: ${formatNames.join(', ')}`,
    })
  }
  writers.writerOf(name)
  return writers.filesOf(name, resolve(cwd(), file))
}

type Attestor = (name: string, text: string, document: Attested) => string

function attestorOf(
  { attest: keyFile }: FormatOptions,
  files: readonly ReportFile[],
  { cwd, stderr }: ProcessContext,
): Attestor | undefined {
  if (keyFile === undefined) return undefined
  if (files.length === 0) {
    throw AuditError.usage('--attest signs files, and no option writes one', { advice: 'add --report json=FILE' })
  }
  const path = resolve(cwd(), keyFile)
  const key = readPrivateKey(readKeyFile(path), keyFile)
  if ((statSync(path).mode & 0o077) !== 0) {
    stderr.write(`hookdrift: warning: other users can read ${keyFile}: run chmod 600 on it\n`)
  }
  return (name, text, document) => `${JSON.stringify(attest(name, text, document, key))}\n`
}

function readKeyFile(path: string): string {
  try {
    return readTextFile(path)
  } catch (error) {
    throw AuditError.usage(`--attest: cannot read ${path}: ${reasonOf(error)}`, {
      advice: '`hookdrift keygen FILE` makes a key',
    })
  }
}

function attestationOf(file: string): string {
  return `${file}.intoto.json`
}

function isFormat(name: string): name is Format {
  return formatNames.some((format) => format === name)
}

function refuseDuplicates(files: readonly ReportFile[]): void {
  const seen = new Set<string>()
  for (const { file } of files) {
    const place = placeOf(file)
    if (seen.has(place)) throw AuditError.usage(`--report: two reports would be written to ${file}`)
    seen.add(place)
  }
}

/** The real path of the file, so that two spellings of its directory are equal. */
function placeOf(file: string): string {
  try {
    return join(realpathSync(dirname(file)), basename(file))
  } catch {
    return file
  }
}

export function refuseUnwritable(option: string, file: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isDirectory() === true) throw new Error('it is a directory')
    if (isSpecialFile(file)) accessSync(file, constants.W_OK)
    else accessSync(dirname(file), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw AuditError.usage(`${option}: cannot write to ${file}: ${reasonOf(error)}`, {
      advice: 'its directory must exist and be writable; nothing was read yet',
    })
  }
}

/** Writes every file that can be written, then throws the first failure. */
function writeEach(files: readonly ReportFile[], write: (file: ReportFile) => void): void {
  const failures: unknown[] = []
  for (const file of files) {
    try {
      write(file)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
