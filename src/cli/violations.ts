import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Execute, ProcessContext } from '../app/process-context.ts'
import { systemClock } from '../app/system.ts'
import { runBefore } from '../history/find-run.ts'
import type { HistoryReader } from '../history/reader.ts'
import { readRunRecord } from '../history/sql/read-run.ts'
import { listRuns } from '../history/sql/runs.ts'
import { AuditError } from '../model/errors.ts'
import { matchesGlob } from '../model/glob.ts'
import type { Kind } from '../model/resource.ts'
import { isoTime } from '../model/time.ts'
import { type Severity, severities, type ViolationState } from '../model/violation.ts'
import { countViolations } from '../queries/count-groups.ts'
import type { Label } from '../queries/last-evaluations.ts'
import { readViolations, type ViolationOrder, violationsViewAt } from '../queries/read-violations.ts'
import { suggestName } from '../text/nearest-name.ts'
import { printAnswer, runNamed, withHistory } from './print-answer.ts'
import {
  addKindOption,
  addProjectOption,
  addReadingOptions,
  addRunOption,
  limitOf,
  type ReadingOptions,
  toDuration,
} from './query-options.ts'

interface ViolationsOptions extends ReadingOptions {
  readonly open?: true
  readonly resolved?: true
  readonly waived?: true
  readonly unknown?: true
  readonly rule?: string
  readonly project: readonly string[]
  readonly since?: string
  readonly severity?: Severity
  readonly maxSeverity?: Severity
  readonly kind?: Kind
  readonly owner?: readonly string[]
  readonly label: readonly Label[]
  /** Milliseconds. */
  readonly olderThan?: number
  readonly overdue?: true
  readonly sort: ViolationOrder
  readonly run: string
}

export function defineViolations(command: Command, execute: Execute): void {
  command
    .option('--open', 'open ones')
    .option('--resolved', 'ended ones: fixed, removed, accepted, approved, switched off or expired')
    .option('--waived', 'waived ones')
    .option('--unknown', 'ones that the last scan could not confirm')
    .option('--rule <id>', 'of this rule, or a pattern such as "endpoint/*"')
    .addOption(new Option('--severity <severity>', 'of this severity or above').choices([...severities]))
    .addOption(new Option('--max-severity <severity>', 'of this severity or below').choices([...severities]))
    .addOption(new Option('--owner <name...>', 'of resources with this owner_id, or a pattern such as "tenant-0*"'))
    .addOption(
      new Option('--label <name=value...>', 'of projects with this label').argParser(toLabels).default([], 'all'),
    )
    .option('--older-than <duration>', 'open for longer than this: 12h, 30d, 8w', toDuration)
    .option('--overdue', 'past their due date')
    .addOption(
      new Option('--sort <order>', 'age: the oldest first; due: the first that is due first')
        .choices(['severity', 'age', 'due'])
        .default('severity'),
    )
    .option('--since <run|time>', 'opened since then; with --resolved, ended since then')
  addReadingOptions(addKindOption(addProjectOption(addRunOption(command)))).action((options: ViolationsOptions) =>
    execute((terminal) => violations(options, terminal)),
  )
}

async function violations(options: ViolationsOptions, terminal: ProcessContext): Promise<number> {
  const {
    rule,
    severity,
    maxSeverity,
    since,
    kind,
    label: labels,
    owner: owners = [],
    olderThan,
    sort,
    project: projects,
  } = options
  const { answer, now } = await withHistory(options, terminal, async (reader) => {
    const run = await runNamed(reader, options.run)
    // What was old or overdue as of a past run was so when that run ended.
    const now = options.run === 'latest' ? systemClock.now() : Date.parse(run.finishedAt)
    if (rule !== undefined) await refuseUnknownRule(rule, run.number, reader)
    const answer = await readViolations(reader, {
      run,
      states: statesOf(options),
      after: since === undefined ? 0 : runBefore(await listRuns(reader), since, now),
      overdueAt: options.overdue ? now : undefined,
      before: olderThan === undefined ? undefined : now - olderThan,
      rule,
      severity,
      maxSeverity,
      projects,
      kind,
      owners,
      labels,
      sort,
      limit: limitOf(options),
    })
    return { answer, now }
  })
  return printAnswer(answer, violationsViewAt(isoTime(now)), options.format, terminal)
}

/**
 * A misspelt rule has no violations, and an empty answer would look like success.
 * @throws AuditError.usage when neither hookdrift, the run's policy nor a past violation has such a rule
 */
async function refuseUnknownRule(rule: string, run: number, reader: HistoryReader): Promise<void> {
  const { rules } = await import('../rules/rules.ts')
  const evaluating = [...rules, ...((await readRunRecord(reader, run))?.rules ?? [])].map(({ id }) => id)
  if (evaluating.some((id) => matchesGlob(id, rule))) return
  if ((await countViolations(reader, { run, withActive: true, resolvedAfter: 0, rules: [rule] })) > 0) return
  throw AuditError.usage(`there is no rule "${rule}"${suggestName(rule, evaluating)}`, {
    advice: '`hookdrift rules` lists them; a pattern such as "endpoint/*" matches several',
  })
}

function statesOf({ open, resolved, waived, unknown }: ViolationsOptions): ReadonlySet<ViolationState> {
  const named: ViolationState[] = [
    ...(open ? (['opened', 'continuing'] as const) : []),
    ...(resolved ? (['resolved'] as const) : []),
    ...(waived ? (['waived'] as const) : []),
    ...(unknown ? (['unknown'] as const) : []),
  ]
  return new Set(named.length > 0 ? named : ['opened', 'continuing', 'unknown', 'waived'])
}

function toLabels(text: string, labels: readonly Label[]): readonly Label[] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Expected a label such as env=prod.')
  return [...labels, { name, value }]
}
