import { z } from 'zod'
import { changeTypes } from './change.ts'
import { coverageCauses, coverageStatuses } from './coverage.ts'
import { endingKinds } from './ending.ts'
import { exitCodes, signalExits } from './errors.ts'
import type { Json, JsonObject } from './json.ts'
import { noticeCodes } from './notice.ts'
import { kinds, listings, walkedListings } from './resource.ts'
import { failOnChoices, resolutions, severities, violationStates } from './violation.ts'

/** What JSON Schemas are published of, each under a name with its number; parts that others refer to have one, too. */
export const publishedSchemas = z.registry<{ readonly id: string }>()

/** A list that readers do not change. */
export const listOf = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).readonly()

/** Any JSON, and any object of it. */
export const anyJson = z.custom<Json>(() => true)
export const anyObject = z.custom<JsonObject>(() => true).meta({ type: 'object' })

const time = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/)
  .describe('ISO 8601 in UTC.')
const count = z.int().min(0)
const project = z.string().min(1).describe('service/project, as configured.')
const uid = z.string().min(1)
const name = z.string().describe('For people; empty when the service has none.')
const pointer = z
  .string()
  .regex(/^(\/([^~/]|~[01])*)*$/)
  .describe('JSON Pointer (RFC 6901).')
export const fileLocation = z.object({ file: z.string(), line: z.int().min(1) })
const kind = z.enum(kinds)
const listing = z.enum(listings)
const walkedListing = z
  .enum(walkedListings)
  .describe("projects: the list of a service's projects. filters: the filter rows of subscriptions.")
const release = z
  .object({
    from: z.string().nullable().describe('This release or a later one; null: not known.'),
    below: z.string().nullable().describe('An earlier release than this; null: not known.'),
    contradictory: z.boolean().describe('Whether answers contradict each other, as while an upgrade is under way.'),
  })
  .describe('Between which releases the service runs, inferred from the fields that its answers show.')
export type ReportRelease = z.infer<typeof release>

const severity = z.enum(severities)
const verdict = z.object({
  exit_code: z
    .literal([...Object.values(exitCodes), ...Object.values(signalExits)])
    .describe(
      '0 clean; 1 open violations that fail the run (fail_on); 3 could not read everything; 4 a bug ended the audit of a project, whose walks are failed; 130, 143 a signal interrupted it (SIGINT, SIGTERM); 2, 5 as documented for the command.',
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
  .object({
    /** `service/*` for the list of a service's projects. */
    project,
    listing: walkedListing,
    status: z
      .enum(coverageStatuses)
      .describe(
        'Only complete says anything about what is absent. skipped: not offered by the service. suspect: its losses are held back.',
      ),
    cause: z.enum(coverageCauses).nullable().describe('Why it is not complete, as a code; null when complete.'),
    reason: z.string().nullable().describe('The same as a sentence; null when complete.'),
    filter: z
      .string()
      .nullable()
      .describe('What the walk was narrowed to by configuration, such as owner=tenant-03; null when it was not.'),
    pages: count,
    items: count.describe('What the service listed, not what was lifted out of it.'),
    of: count
      .describe('Of filters: how many subscriptions were listed, where items counts those whose rows were read.')
      .exactOptional(),
    /** ISO 8601. */
    oldest_at: z
      .string()
      .nullable()
      .describe('Of filters: when the oldest rows were read; null where none ever were.')
      .exactOptional(),
    requests: count,
    retries: count,
    duration_ms: z.number().min(0),
  })
  .meta(isComplete)
export type ReportCoverage = z.infer<typeof coverage>

// extend() leaves out what meta() says.
const scannedCoverage = coverage.extend({ run: count.describe('The run that scanned.') }).meta(isComplete)
const notice = z.object({
  code: z.enum(noticeCodes),
  project: project.nullable().describe('null: it is about the run.'),
  listing: listing.nullable().describe('null: it is about no listing.'),
  text: z.string(),
})
const uiUrl = z
  .string()
  .regex(/^https?:\/\//)
  .describe("Where the gateway's own UI shows the resource; absent unless the configuration has `ui_url`.")
const fieldChange = z
  .object({ path: pointer, before: anyJson, after: anyJson })
  .describe('null: the attribute was empty or not there. Secrets are sealed: sealed:<hex> or sealed:masked.')
const hasFieldsIfModified = {
  anyOf: [
    { properties: { change: { const: 'modified' } } },
    { properties: { fields: { type: 'array', maxItems: 0 } } },
  ],
}
const change = z
  .object({
    project,
    kind,
    uid,
    name,
    change: z.enum(changeTypes),
    fields: listOf(fieldChange).describe('Sorted by path; empty for added and removed.'),
    referrers: listOf(uid).describe('uids of the subscriptions that use it; for changed sources only.').exactOptional(),
    ui_url: uiUrl.exactOptional(),
  })
  .meta(hasFieldsIfModified)
export type ReportChange = z.infer<typeof change>

const note = z
  .object({
    id: z.int().min(1),
    at: time.describe('When it happened.'),
    text: z.string(),
    ref: z.string().nullable().describe('An address, or the digest of a commit.'),
    by: z.string(),
    projects: listOf(project).describe('Which it is about; empty: all.'),
  })
  .describe('What a person did, by their own account. No note is a cause of anything.')
const changeTimes = z.object({
  after: time
    .nullable()
    .describe(
      'Start of the last complete scan that saw the resource as before; null where that is not recorded, or the clock went back.',
    ),
  before: time.describe('End of the first scan that saw it changed.'),
  after_run: z.int().min(1).nullable().describe('The run of that complete scan; null where it is not known.'),
  before_run: z.int().min(1).describe('The run of that first scan.'),
})
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

const waiver = z.object({
  owner: z.string(),
  reason: z.string(),
  expires: time.describe('The instant from which it holds no more.'),
  ticket: z.string().exactOptional(),
})
const endedBy = z
  .object({
    kind: z
      .enum(endingKinds)
      .describe(
        'acceptance: a person accepted it. baseline: a person approved a baseline that has it, or revoked the one that it was found by. rule_off, override: the policy requires less. expiry: it was open for as long as its rule allows.',
      ),
    by: z.string().nullable().describe('The person.'),
    reason: z.string().nullable().describe('What the person wrote, or what the policy requires now.'),
    at: time.nullable().describe('When the person decided.'),
    run: z.int().min(1).nullable().describe('Of a baseline, the run whose state was approved.'),
    configured_at: fileLocation.nullable().describe('The line of the policy that decided.'),
  })
  .describe('Who or what ended a violation that is not mended. A member without a value is null.')
const violation = z.object({
  fingerprint: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .describe('The same over time, with any message or severity.'),
  rule: z.string().min(1),
  severity,
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

const acceptance = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  severity: severity
    .nullable()
    .describe("As of the violation's end; null, with an empty name and message, when that is no longer known."),
  project,
  kind,
  uid: z.string(),
  name: z.string(),
  path: z.string(),
  message: z.string(),
  reason: z.string(),
  by: z.string(),
  at: time,
})
const doubt = z.object({
  kind,
  field: z.string().describe('Its path without uids: `secrets[].expires_at`.'),
  cause: z
    .enum(['malformed', 'unseen', 'seal_key_changed'])
    .describe(
      '`malformed`: its type breaks the contract; `unseen`: every release shows it, and the answer did not; ' +
        '`seal_key_changed`: a secret that a drift rule compares was sealed under another installation key, or by an earlier version in another form, before.',
    ),
  resources: count.describe('How many resources have it so.'),
  since: z
    .object({ run: z.int().min(1), at: time })
    .nullable()
    .describe('The first run that saw one of them so, and its start; null where that is not known.'),
})
const evaluatedProject = z.object({
  project,
  labels: z.record(z.string(), z.string()),
  configured_at: fileLocation.nullable().describe('Where it is configured; null when that is not a file.'),
  resources: z.record(z.string(), count).describe('Resources that were seen and evaluated, by kind.'),
  evaluated_by_rule: z
    .record(z.string(), count)
    .describe('How many of its kind a rule evaluated, where overrides left some out.'),
  not_evaluated: z.record(z.string(), z.string()).describe('Rules that could not be evaluated here, with the reasons.'),
  rows_unread: z
    .record(z.string(), count)
    .describe(
      'Subscriptions of which no run has read the filter rows that a rule reads, by rule. Absent when there are none.',
    )
    .exactOptional(),
  not_compared: listOf(listing)
    .describe(
      'Listings that no earlier run walked to their end: there was nothing to compare them with. Absent when there are none.',
    )
    .exactOptional(),
  approved_at: time.describe('When its baseline was approved; absent without one.').exactOptional(),
  release: release
    .describe("The service's release, as far as the answers show it; absent where nothing did.")
    .exactOptional(),
  windows: listOf(z.object({ name: z.string(), ticket: z.string().nullable(), from: time, to: time }))
    .describe('Times of change windows in which changes of the run may have been made. Absent without any.')
    .exactOptional(),
  doubts: z
    .record(z.string(), listOf(doubt))
    .describe(
      'Fields that rules could not rely on, by rule: they did not evaluate what has them so. Absent when there are none.',
    )
    .exactOptional(),
})
export type ReportProject = z.infer<typeof evaluatedProject>

const evaluatedRule = z.object({
  id: z.string().min(1),
  kind,
  title: z.string(),
  remediation: z.string().describe('What to do about its problems.'),
  severity,
  controls: listOf(z.string()),
  needs: listOf(kind).describe('Kinds that must be seen completely before its silence means anything.'),
})
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
  release,
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
  doubt,
  evaluatedProject,
  evaluatedRule,
  run,
  tool,
  digests,
  coverageOfFleet,
}
const reportId = 'report-2'
for (const [name, schema] of Object.entries(schemas)) {
  publishedSchemas.add(schema, { id: `${reportId}#/$defs/${name}` })
}

/**
 * The result of one committed run: every format is a function of this document. Its JSON form is part of the outer
 * contract (config/report.schema.json).
 */
export const reportSchema = z
  .object({
    schema: z.literal('hookdrift.report/2'),
    tool,
    run,
    digests,
    verdict,
    coverage_of_fleet: coverageOfFleet,
    coverage: listOf(coverage).describe('What each walk proved, by project, then in the order of walking.'),
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
      'What one committed run has to say (hookdrift.report/2). Members may be added, never renamed: ignore those you do not know.',
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
      schema: z.literal('hookdrift.report/2'),
      tool,
      started_at: time,
      finished_at: time,
      state: z.literal('committed'),
      digests,
    }),
    verdict.extend(lineOf('verdict')),
    coverage.extend(lineOf('coverage')).meta(isComplete),
    evaluatedProject.extend(lineOf('project')),
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
      'One object a line, distinguished by `type`: run, verdict, coverage and projects first, then notices, changes, notes, causes, violations and acceptances. `run` is the number of the run. All other members are those of the JSON report (report.schema.json).',
  })
publishedSchemas.add(reportLineSchema, { id: 'report-line-2' })
