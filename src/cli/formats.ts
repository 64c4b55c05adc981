import { type Command, Option } from 'commander'
import { type CsvSection, sectionNames } from '../report/csv/section-names.ts'
import { type Format, formatNames } from '../report/formats.ts'
import { type Grouping, groupings } from '../report/group-by.ts'

/** Options of commands that print a report: its formats and files. */
export interface FormatOptions {
  readonly format: Format
  readonly section?: CsvSection
  readonly output?: string
  /** `FORMAT=FILE` each. */
  readonly report: readonly string[]
  /** The file of a private key: each report file gets an attestation next to it. */
  readonly attest?: string
  readonly quiet?: true
  readonly groupBy?: Grouping
}

export function addFormatOptions(command: Command): Command {
  return command
    .addOption(new Option('-f, --format <format>', 'of the report').choices(formatNames).default('text'))
    .addOption(new Option('--section <section>', 'of --format csv; default: violations').choices(sectionNames))
    .addOption(new Option('--group-by <what>', 'in the text report').choices(groupings).default('rule'))
    .option('-o, --output <file>', 'write the report to a file instead of stdout')
    .addOption(
      new Option('--report <format=file>', 'also write the report to a file; may be repeated')
        .argParser((value: string, values: readonly string[]) => [...values, value])
        .default([], 'none'),
    )
    .option('--attest <key>', 'sign each report file, in FILE.intoto.json next to it; see keygen')
}
