import { accessSync, constants, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { configuredPaths, type HistoryOptions, locateHistory } from '../app/locate-history.ts'
import { markOf, type ProcessContext, printMessage, renderOptionsFor } from '../app/process-context.ts'
import { isSpecialFile, writeFileAtomically } from '../app/write-file-atomically.ts'
import type { HistoryReader } from '../history/reader.ts'
import { AuditError, reasonOf } from '../model/errors.ts'
import { countUnsureRules } from '../model/gap.ts'
import type { Report } from '../model/report.ts'
import { suggestName } from '../model/text/nearest-name.ts'
import type { Trend } from '../model/trend.ts'
import type { Compliance } from '../report/compliance/compliance.ts'
import { controlFormat, formatNames, loadFormats, type NamedFormat } from '../report/formats.ts'
import { type Grouping, groupings } from '../report/group-by.ts'
import { fileRenderOptions, filesOf, type ReportFile } from '../report/report-files.ts'
import { type CsvSection, type RenderOptions, sectionNames } from '../report/report-format.ts'
import { rare } from './help.ts'

/** Options of commands that print a report: its formats and files. */
export interface FormatOptions {
  readonly format: NamedFormat
  readonly section?: CsvSection
  readonly output?: string
  /** `FORMAT=FILE` each. */
  readonly report: readonly string[]
  readonly quiet?: true
  readonly groupBy?: Grouping
}

/** `names`: of the formats that the command has. */
export function addFormatOptions(command: Command, names: readonly NamedFormat[] = formatNames): Command {
  const format = new Option('-f, --format <format>', 'report format').choices(names).default('text')
  const choose = format.parseArg
  // Where the command does not have it, the refusal says which one does.
  format.argParser((value) => (value === controlFormat ? value : choose?.(value, undefined)))
  return command
    .addOption(format)
    .addOption(
      rare('--section <section>', 'which table --format csv prints (default: violations)').choices(sectionNames),
    )
    .addOption(rare('--group-by <what>', 'how the text report groups violations').choices(groupings).default('rule'))
    .option('-o, --output <file>', 'write the report to a file instead of stdout')
    .addOption(
      new Option('--report <format=file>', 'also write the report to a file; repeatable')
        .argParser((value: string, values: readonly string[]) => [...values, value])
        .default([], 'none'),
    )
}

/** Renders documents of one kind in each format. */
export interface Writers<Document> {
  /** @throws AuditError.usage when such documents do not have that format */
  writerOf(format: NamedFormat): (document: Document, render: RenderOptions) => string
  /** The files that `FORMAT=FILE` writes. */
  filesOf(format: NamedFormat, file: string): readonly ReportFile[]
}

/** Loads the formats that will be written. Unknown names are reported later, by the option parser. */
export async function loadReports(options: FormatOptions): Promise<Writers<Report>> {
  const files = options.report.map((option) => option.replace(/=.*$/s, ''))
  const loaded = await loadFormats(new Set(isPrinted(options) ? [options.format, ...files] : files))
  return {
    writerOf(name) {
      if (name === controlFormat) {
        throw AuditError.usage(`${name} is the format of a report by control, which needs --framework`, {
          advice: '`hookdrift report --framework soc2 --format oscal` reports the last run by control',
        })
      }
      return (document, render) => {
        const write = loaded.get(name)
        if (write === undefined) throw new Error(`the format ${name} was not loaded`)
        return write(document, render)
      }
    },
    filesOf,
  }
}

/** Loads the formats of reports by control, which write one file each. */
export async function loadComplianceReports(): Promise<Writers<Compliance>> {
  const { complianceFormatOf } = await import('../report/compliance-reports.ts')
  return { writerOf: complianceFormatOf, filesOf: (format, file) => [{ format, file, render: fileRenderOptions }] }
}

/** Whether a report is written as HTML, which shows the trend. */
export function showsTrend(options: FormatOptions): boolean {
  const { format, report } = options
  return (isPrinted(options) && format === 'html') || report.some((option) => option.startsWith('html='))
}

/**
 * Says on stderr why a scan is incomplete, where no report for people goes to stdout; next to CSV, which cannot contain
 * it, also that rules could not evaluate everything.
 */
export async function printCauses(report: Report, options: FormatOptions, terminal: ProcessContext): Promise<void> {
  if (options.quiet === true || (options.format === 'text' && options.output === undefined)) return
  const { explainFailures } = await import('../report/text/show-coverage.ts')
  const lines = explainFailures(report)
  if (options.format === 'csv') {
    const { describeUnsure } = await import('../report/verdict.ts')
    lines.push(...describeUnsure(countUnsureRules(report.gaps)))
  }
  for (const line of lines) printMessage(`hookdrift: ${line}`, terminal)
}

/** The trend up to the run of a report. */
export async function readTrendOf(reader: HistoryReader, { run }: Report): Promise<Trend> {
  const { findTrend } = await import('../questions/trend.ts')
  const { number, started_at, finished_at } = run
  return findTrend(reader, { run: { number, started_at, finished_at }, since: undefined, projects: [] })
}

/**
 * Plans where a report goes: to stdout or `--output`, and to the files of `--report`. Options and files are checked
 * here, before the run. The returned function writes every file that can be written, then throws the first failure
 * (AuditError.failure).
 * @throws AuditError.usage when options contradict each other or a file cannot be written
 */
export async function planDelivery<Document>(
  options: FormatOptions & ReadFiles & { readonly metricsFile?: string },
  terminal: ProcessContext,
  writers: Writers<Document>,
): Promise<(document: Document, past?: Pick<RenderOptions, 'trend'>) => void> {
  const { format, section, output, quiet = false, groupBy = 'rule' } = options
  if (section !== undefined && format !== 'csv') {
    throw AuditError.usage(`--section ${section} is for --format csv, not ${format}`)
  }
  const ofSection = section === undefined ? {} : { section }
  const ofText = { groupBy, locating: terminal.locating ?? {} }
  // An unknown format is refused before a scan.
  const writerOf = (name: NamedFormat) => {
    const write = writers.writerOf(name)
    return (document: Document, render: RenderOptions) => markOf(name, terminal) + write(document, render)
  }
  const write = writerOf(format)
  const main =
    output === undefined
      ? []
      : [{ format, file: resolve(terminal.cwd(), output), render: { ...fileRenderOptions, ...ofText, ...ofSection } }]
  const more = options.report.flatMap((option) => parseReportOption(option, terminal, writers))
  const metrics = options.metricsFile === undefined ? [] : [{ file: resolve(terminal.cwd(), options.metricsFile) }]
  refuseDuplicates([...main, ...more, ...metrics])
  const needed = main.length + more.length === 0 ? [] : await findNeededFiles(options, terminal)
  for (const { file } of main) refuseUnwritable('--output', file, needed)
  for (const { file } of more) refuseUnwritable('--report', file, needed)
  return (document, past = {}) => {
    if (output === undefined && !quiet) {
      terminal.stdout.write(
        write(document, { ...renderOptionsFor(terminal), full: false, ...ofText, ...ofSection, ...past }),
      )
    }
    writeEach([...main, ...more], ({ format: name, file, render }) => {
      writeFileAtomically(file, writerOf(name)(document, { ...ofText, ...render, ...past }))
    })
  }
}

/** Files that a command reads, by its options. */
interface ReadFiles extends Partial<HistoryOptions> {
  /** A name; a file has a slash or a dot. */
  readonly framework?: string | undefined
}

/** Files that hookdrift needs. What cannot be located is reported when it is read. */
export async function findNeededFiles(options: ReadFiles, terminal: ProcessContext): Promise<readonly NeededFile[]> {
  const { config, framework } = options
  const path = (file: string) => resolve(terminal.cwd(), file)
  const named =
    framework !== undefined && /[/.]/.test(framework) ? [{ file: path(framework), what: 'the framework' }] : []
  if (config === undefined) return named
  const location = await unlessUnreadable(locateHistory({ ...options, config }, terminal))
  const read = new Set<string>()
  const policy = (await unlessUnreadable(configuredPaths(config, terminal, undefined, (file) => read.add(file))))
    ?.policy
  return [
    ...named,
    { file: path(config), what: 'the configuration' },
    ...[...read].map((file) => ({ file, what: 'a file that the configuration reads' })),
    ...(policy === undefined ? [] : [{ file: policy, what: 'the policy' }]),
    ...(location?.kind === 'file'
      ? [
          ...['', '-wal', '-shm', '-journal'].map((end) => ({ file: location.path + end, what: 'the history' })),
          { file: location.keyFile, what: 'the installation key' },
        ]
      : []),
  ]
}

interface NeededFile {
  readonly file: string
  readonly what: string
}

async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AuditError) return undefined
    throw error
  }
}

/**
 * Refuses a file that is one of `needed`, under any name.
 * @throws AuditError.usage
 */
export function refuseNeeded(option: string, file: string, needed: readonly NeededFile[]): void {
  const match = needed.find((each) => isSameFile(each.file, file))
  if (match === undefined) return
  throw AuditError.usage(`${option}: ${file} is ${match.what}, and is not replaced`, {
    advice: 'name another file; nothing was read yet',
  })
}

/**
 * Refuses a file that cannot be written, or that is one of `needed`, under any name.
 * @throws AuditError.usage
 */
export function refuseUnwritable(option: string, file: string, needed: readonly NeededFile[]): void {
  refuseNeeded(option, file, needed)
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

/** Also by a link, and where neither is there yet. */
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(statOf)
  return a === undefined || b === undefined ? realPathOf(one) === realPathOf(other) : a.ino === b.ino && a.dev === b.dev
}

/** undefined where it is not there, or this user may not read it. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch {
    return undefined
  }
}

function isPrinted({ quiet, output }: FormatOptions): boolean {
  return output !== undefined || quiet !== true
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

function isFormat(name: string): name is NamedFormat {
  return name === controlFormat || formatNames.some((format) => format === name)
}

function refuseDuplicates(files: readonly Pick<ReportFile, 'file'>[]): void {
  const seen = new Set<string>()
  for (const { file } of files) {
    const realPath = realPathOf(file)
    if (seen.has(realPath)) throw AuditError.usage(`two files would be written to ${file}`)
    seen.add(realPath)
  }
}

/** The real path of the file, so that a link to it and two spellings of its directory are equal. */
function realPathOf(file: string): string {
  for (const [named, rest] of [[file], [dirname(file), basename(file)]] as const) {
    try {
      return join(realpathSync(named), rest ?? '')
    } catch {
      // It is not there yet.
    }
  }
  return file
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
