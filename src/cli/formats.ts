import { type Command, Option } from 'commander'
import { type CsvSection, sectionNames } from '../report/csv/section-names.ts'
import { type Format, formatNames } from '../report/formats.ts'

/** What a command that prints a report is told of where it goes and what it looks like. */
export interface FormatOptions {
  readonly format: Format
  readonly section?: CsvSection
  readonly output?: string
  /** `FORMAT=FILE` each. */
  readonly report: readonly string[]
  /** A private key: each file gets an attestation beside it. */
  readonly attest?: string
  readonly quiet?: true
}

export function addFormatOptions(command: Command): Command {
  return command
    .addOption(new Option('--format <format>', 'of the report').choices(formatNames).default('text'))
    .addOption(new Option('--section <section>', 'of --format csv: violations unless specified').choices(sectionNames))
    .option('--output <file>', 'write the report to a file instead of stdout')
    .addOption(
      new Option('--report <format=file>', 'write the report to a file as well; can be given several times')
        .argParser((value: string, values: readonly string[]) => [...values, value])
        .default([], 'none'),
    )
    .option('--attest <key>', 'sign each report file, as FILE.intoto.json next to it; see keygen')
}
