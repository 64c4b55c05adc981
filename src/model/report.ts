import { z } from 'zod'
import { changeTimes, fieldChange, resourceChange } from './change.ts'
import { walkCoverage } from './coverage.ts'
import { endedBy } from './ending.ts'
import { exitCodes, signalExits } from './errors.ts'
import { evaluatedProject, evaluatedRule } from './evaluation.ts'
import { gap } from './gap.ts'
import { note } from './note.ts'
import { notice } from './notice.ts'
import { releaseRange } from './release-range.ts'
import {
  anyJson,
  count,
  kind,
  listing,
  listOf,
  name,
  pointer,
  project,
  publishedSchemas,
  time,
  uid,
  walkedListing,
} from './schema.ts'
import { acceptance, failOnChoices, resolutions, severity, violationStates, waiver } from './violation.ts'

const verdict = z.object({
  exit_code: z
    .literal([...Object.values(exitCodes), ...Object.values(signalExits)])
    .describe(
      '0 clean; 1 open violations that fail the run (fail_on); 3 could not read everything, or not see whether a violation is still there that would fail the run; 4 a bug ended the audit of a project, whose walks are failed; 130, 143 a signal interrupted it (SIGINT, SIGTERM); 2, 5 as documented for the command.',
    ),
  text: z.string().min(1).describe('One sentence.'),
  fail_on: z
    .enum(failOnChoices)
    .describe(
      'never: no violation fails the run. new: those of medium or above that were opened since the last approval of their project, or by this run; not those that this run opened with a change within a change window.',
    ),
  violations: z
    .object({ critical: count, high: count, medium: count, low: count, info: count })
    .describe('Open violations (opened or continuing) by severity.'),
  waived: count,
  unknown: count,
  /** Violations that this run saw resolved. */
  resolved: count,
  drift: z.object({ added: count, removed: count, modified: count }),
})
export type Verdict = z.infer<typeof verdict>

const isComplete = {
  anyOf: [
    { properties: { status: { const: 'complete' }, cause: { type: 'null' }, reason: { type: 'null' } } },
    { properties: { status: { not: { const: 'complete' } }, cause: { type: 'string' }, reason: { type: 'string' } } },
  ],
}
const coverage = z
  .object({ project: project.describe("`service/*` for the list of a service's projects."), ...walkCoverage.shape })
  .meta(isComplete)
export type ReportCoverage = z.infer<typeof coverage>

// extend() leaves out what meta() says.
const scannedCoverage = coverage.extend({ run: count.describe('The run that scanned.') }).meta(isComplete)
const uiUrl = z
  .string()
  .regex(/^https?:\/\//)
  .describe("Where the gateway's own UI shows the resource; absent unless the configuration has `ui_url`.")
const hasFieldsIfModified = {
  anyOf: [{ properties: { change: { const: 'modified' } } }, { properties: { fields: { const: [] } } }],
}
const change = z
  .object({
    project,
    ...resourceChange.shape,
    referrers: listOf(uid).describe('uids of the subscriptions that use it; for changed sources only.').exactOptional(),
    ui_url: uiUrl.exactOptional(),
  })
  .meta(hasFieldsIfModified)
export type ReportChange = z.infer<typeof change>

const drift = change
  .extend({
    between: changeTimes,
    window: z
      .string()
      .nullable()
      .describe('The change window in which it may have been made; null: it was made outside all of them.'),
    notes: listOf(z.int().min(1)).describe(
      'Ids of what people noted of that time and project, the nearest to the scan that found the change first.',
    ),
    repairs: listOf(z.object({ rule: z.string(), fingerprint: z.string() })).describe(
      'Violations that are fixed since then, in fields that changed: such a change is not a cause.',
    ),
  })
  .meta(hasFieldsIfModified)
export type ReportDrift = z.infer<typeof drift>

const cause = z.object({
  id: z
    .string()
    .regex(/^[1-9]\d*-[0-9a-f]{8}$/)
    .describe('For `restore --cause` and `accept --cause`; the same as long as it is open.'),
  change: z.enum(['modified', 'removed']),
  kind,
  path: pointer.describe(
    'Of the first of its fields; empty for removals. Of several resources, uids on the way are `*`, as in `/secrets/*`.',
  ),
  before: anyJson.describe(
    'What the field was: null where it was empty, for removals, and where the resources lost different values.',
  ),
  after: anyJson,
  fields: listOf(fieldChange).describe('All that changed, losses first; empty for removals.'),
  resources: count.describe('How many are not mended yet.'),
  affected: listOf(z.object({ project, uid, name, owner: z.string().nullable() })).describe('Those resources.'),
  /** Sorted, as the owners are. */
  projects: listOf(project),
  owners: listOf(z.string()),
  severity: severity.describe('The worst of the violations that follow.'),
  violations: listOf(z.string()).describe('Fingerprints of the active violations that follow from it.'),
  rules: listOf(z.object({ rule: z.string(), severity, violations: count })).describe(
    'How many of them there are of each rule, the worst first.',
  ),
  first_run: z.int().min(1).describe('The run that found it.'),
})
export type ReportCause = z.infer<typeof cause>

const violation = z.object({
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('The same over time, with any message or severity.'),
  rule: z.string().min(1),
  severity,
  severity_before: severity
    .describe('Of one that was open before, and that this run rates otherwise: its severity then.')
    .exactOptional(),
  state: z.enum(violationStates).describe('unknown: this run could not check it. waived: accepted by a waiver.'),
  resolution: z
    .enum(resolutions)
    .nullable()
    .describe('Of resolved ones; null for all others. Only fixed and removed ones are gone.'),
  ended_by: endedBy
    .nullable()
    .describe('Who or what ended it; null while it is active, and for fixed and removed ones.'),
  project,
  kind,
  uid,
  name,
  owner: z
    .string()
    .nullable()
    .describe("owner_id of the endpoint, or of a subscription's endpoint; null for all else, and where it is unknown."),
  path: pointer,
  message: z.string(),
  /** Start times of runs. */
  first_seen: time,
  last_seen: time,
  due_at: time
    .nullable()
    .describe('By when it must be fixed, by the policy of the run; null without a due date, waived and resolved.'),
  waiver: waiver
    .describe('Of waived ones, and of unknown ones that were waived when they were last seen.')
    .exactOptional(),
  ui_url: uiUrl.exactOptional(),
})
export type ReportViolation = z.infer<typeof violation>

const run = z.object({
  number: z.int().min(1),
  started_at: time,
  finished_at: time,
  state: z.literal('committed').describe('A run that is not committed has no report.'),
})
const tool = z.object({ name: z.literal('hookdrift'), version: z.string().min(1) })
/** Digests in hex. */
const digests = z
  .object({
    policy: z.string().min(1),
    configuration: z.string().min(1),
    chain: z.string().nullable().describe('null for runs before there was a chain.'),
  })
  .describe('SHA-256 of the policy and the configuration in force, and of the run with all that led to it.')
const coverageOfFleet = z
  .object({ scanned: count, known: count })
  .describe(
    'How many projects the run was to scan, of those that were known: `--project` and a schedule may choose some.',
  )

/** The parts of the report, each published under its name: other documents have them, too. */
export const schemas = {
  time,
  count,
  project,
  uid,
  name,
  pointer,
  kind,
  listing,
  walkedListing,
  release: releaseRange,
  severity,
  verdict,
  coverage,
  scannedCoverage,
  notice,
  uiUrl,
  fieldChange,
  change,
  note,
  changeTimes,
  drift,
  cause,
  waiver,
  endedBy,
  violation,
  acceptance,
  evaluatedProject,
  evaluatedRule,
  run,
  tool,
  digests,
  coverageOfFleet,
  gap,
}
const reportId = 'report-3'
for (const [name, schema] of Object.entries(schemas)) {
  publishedSchemas.add(schema, { id: `${reportId}#/$defs/${name}` })
}

/**
 * The result of one committed run: every format is a function of this document. Its JSON form is part of the outer
 * contract (config/report.schema.json).
 */
export const reportSchema = z
  .object({
    schema: z.literal('hookdrift.report/3'),
    tool,
    run,
    digests,
    verdict,
    coverage_of_fleet: coverageOfFleet,
    coverage: listOf(coverage).describe('What each walk proved, by project, then in the order of walking.'),
    gaps: listOf(gap).describe('What rules could not evaluate, by project, then by rule.'),
    notices: listOf(notice).describe('Information that is not a fault, such as an upgrade of the service.'),
    drift: listOf(drift).describe('What changed since the last complete walk of each listing, by project, kind, uid.'),
    notes: listOf(note).describe(
      'What people did while it changed, as far as it is recorded when the report is written; the latest first.',
    ),
    causes: listOf(cause).describe(
      'Changes of one run that are equal (the same path, before and after, or the same loss), updates of several fields of one resource, and removals of many: open ones, the worst first.',
    ),
    violations: listOf(violation).describe(
      'By severity (worst first), project, kind, uid, rule, path; resolved ones last.',
    ),
    accepted: listOf(acceptance).describe(
      'Violations that people accepted with `hookdrift accept`, of projects of the run, oldest first: no run reports them while that holds.',
    ),
    /** Empty for runs of versions that did not keep this, as the rules are. */
    projects: listOf(evaluatedProject).describe(
      'What was scanned, by project: where it is configured and how much of it was evaluated.',
    ),
    rules: listOf(evaluatedRule).describe('The rules that were evaluated, by id.'),
  })
  .meta({
    title: 'hookdrift report',
    description:
      'What one committed run has to say (hookdrift.report/3). Members may be added, never renamed: ignore those you do not know.',
  })
publishedSchemas.add(reportSchema, { id: reportId })
export type Report = z.infer<typeof reportSchema>

/** A line of the format jsonl. */
const lineOf = <Type extends string>(type: Type) => ({ type: z.literal(type), run: z.int().min(1) })
export const reportLineSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.literal('run'),
      run: z.int().min(1),
      schema: z.literal('hookdrift.report/3'),
      tool,
      started_at: time,
      finished_at: time,
      state: z.literal('committed'),
      digests,
    }),
    verdict.extend(lineOf('verdict')),
    coverage.extend(lineOf('coverage')).meta(isComplete),
    evaluatedProject.extend(lineOf('project')),
    gap.extend(lineOf('gap')),
    notice.extend(lineOf('notice')),
    drift.extend(lineOf('drift')).meta(hasFieldsIfModified),
    note.extend(lineOf('note')),
    cause.extend(lineOf('cause')),
    violation.extend(lineOf('violation')),
    acceptance.extend(lineOf('accepted')),
  ])
  .meta({
    title: 'A line of the format jsonl',
    description:
      'One object a line, distinguished by `type`: run, verdict, coverage, projects and gaps first, then notices, changes, notes, causes, violations and acceptances. `run` is the number of the run. All other members are those of the JSON report (report.schema.json).',
  })
publishedSchemas.add(reportLineSchema, { id: 'report-line-3' })
