import { type Command, InvalidArgumentError, Option } from 'commander'
import type { HistoryOptions } from '../app/locate-history.ts'
import { type ProcessContext, printMessage } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { exitCodes } from '../model/errors.ts'
import { count } from '../model/text/count.ts'
import { type Severity, severities } from '../model/violation.ts'
import { usualLimits } from '../model/yaml/parse-yaml.ts'
import { draftWaivers, refuseExpiry } from '../questions/draft-waivers.ts'
import { runNamed } from '../questions/question.ts'
import { sayIncomplete, withHistory } from './print-answer.ts'
import { addHistoryOptions, addProjectOption } from './query-options.ts'

interface DraftOptions extends HistoryOptions {
  readonly owner: string
  readonly expires: string
  readonly reason?: string
  readonly project: readonly string[]
  readonly rule?: string
  readonly severity?: Severity
}

export function defineWaiversDraft(command: Command) {
  addHistoryOptions(addProjectOption(command))
    .addOption(new Option('--owner <name>', 'who answers for the violations').makeOptionMandatory().argParser(toLine))
    .requiredOption('--expires <date>', 'a date such as 2027-03-31, or a time with its zone; at most 366 days ahead')
    .addOption(new Option('--reason <text>', 'why they are accepted (default: names the run)').argParser(toLine))
    .option('--rule <id>', 'only violations of this rule, or of a pattern such as "endpoint/*"')
    .addOption(new Option('--severity <severity>', 'only violations of this severity or above').choices(severities))

  return draft
}

async function draft(options: DraftOptions, terminal: ProcessContext): Promise<number> {
  const { owner, expires, reason, project: projects, rule, severity } = options
  refuseExpiry(expires, systemClock.now())
  const { yaml, accepted, notWaivable, unknown, coverage } = await withHistory(options, terminal, async (reader) => {
    const run = await runNamed(reader, 'latest')
    return draftWaivers(reader, { run, owner, expires, reason, projects, rule, severity })
  })
  terminal.stdout.write(yaml)
  const notes = [
    `${count(accepted, 'violation')} accepted until ${expires}: review them, then add them to the policy`,
    ...(notWaivable === 0 ? [] : [`${count(notWaivable, 'violation')} of waivers cannot be waived: see waiver/*`]),
    ...(unknown === 0 ? [] : [`${count(unknown, 'violation')} not accepted: the last scan could not check them`]),
    ...sayIncomplete(coverage, terminal.locating ?? {}),
    ...(Buffer.byteLength(yaml) > usualLimits.mebibytes * 1024 * 1024 ? [tooLarge] : []),
  ]
  for (const note of notes) printMessage(`hookdrift: ${note}`, terminal)
  return exitCodes.clean
}

const tooLarge = `they are larger than ${usualLimits.mebibytes} MiB, the limit of a policy file: draft them in parts by --project, --rule or --severity, and name each part as a file of its own in \`extends\``

function toLine(text: string): string {
  const line = text.trim()
  if (line === '' || line.length > 1000 || /[\n\r]/.test(line)) {
    throw new InvalidArgumentError('Expected a line of at most 1000 characters.')
  }
  return line
}
