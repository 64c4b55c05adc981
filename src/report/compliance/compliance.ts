import { z } from 'zod'
import { changeTypes } from '../../model/change.ts'
import { gapStatuses } from '../../model/coverage.ts'
import { decision } from '../../model/decision.ts'
import { schemas } from '../../model/report.ts'
import { listOf, publishedSchemas } from '../../model/schema.ts'
import { count } from '../../model/text/count.ts'

const evidence = z
  .object({
    from: schemas.time,
    to: schemas.time,
    share: z
      .number()
      .min(0)
      .nullable()
      .describe(
        'Of the period, from 0 to 1: times without a run for too long do not count. null: the report is about one run.',
      ),
  })
  .describe('From when to when runs observed, and how much of the period that is.')
export type ObservedTime = z.infer<typeof evidence>

const { kind, run, ticket } = decision.shape
const exemption = decision.extend({
  kind: kind.exclude(['window']),
  rule: z.string(),
  fingerprint: z.string().nullable().describe('null for a rule that is off or overridden.'),
  resource: z
    .object({
      project: z.string(),
      kind: schemas.kind,
      uid: z.string(),
      name: z.string(),
      message: z.string().describe('What was found; empty when that is no longer known.'),
      severity: schemas.severity.nullable(),
    })
    .nullable()
    .describe('Of a violation; null for a rule.'),
  ticket: ticket.exactOptional(),
  run: run.exactOptional(),
})
export type Exemption = z.infer<typeof exemption>

const controlRule = z.object({
  id: z.string().min(1),
  title: z.string(),
  severity: schemas.severity,
  rationale: z.string().describe('Why it gives evidence for the control.'),
  evaluated: schemas.count.describe('Resources that the run evaluated it for.'),
  not_evaluated: listOf(z.object({ project: z.string(), reason: z.string() })),
})
export type ControlRule = z.infer<typeof controlRule>

const controlViolation = schemas.violation.extend({
  resolved_at: schemas.time.exactOptional(),
  open_ms: schemas.count.describe('From the run that opened it to its resolution, or to the run of the report.'),
})
export type ControlViolation = z.infer<typeof controlViolation>

const controlWaiver = schemas.waiver.extend({
  rule: z.string(),
  violations: schemas.count.describe('How many violations it accepts.'),
})
export type ControlWaiver = z.infer<typeof controlWaiver>

const controlGap = z.object({
  project: z.string(),
  listing: schemas.walkedListing,
  status: z.enum(gapStatuses),
  reason: z.string().nullable(),
})
export type ControlGap = z.infer<typeof controlGap>

const controlCoverage = z
  .object({
    walks: schemas.count,
    complete: schemas.count,
    pages: schemas.count,
    items: schemas.count,
    duration_ms: z.number().min(0),
    gaps: listOf(controlGap),
  })
  .describe('The walks that show what its rules evaluate.')
export type ControlCoverage = z.infer<typeof controlCoverage>

const exception = z.object({
  rule: z.string(),
  fingerprint: z.string(),
  opened_at: schemas.time,
  ended_at: schemas.time,
  ended_by: schemas.endedBy.nullable(),
})

export type Exception = z.infer<typeof exception>

/** In the order of reports. */
export const controlStates = [
  'not_met',
  'partially_assessed',
  'not_assessed',
  'met_with_exceptions',
  'met',
  'not_covered',
] as const

const control = z.object({
  id: z.string().min(1),
  title: z.string().min(1),
  state: z
    .enum(controlStates)
    .describe(
      'not_met: an open violation at the threshold or above. not_assessed: rules give evidence for it, and the run evaluated none of them. partially_assessed: a walk of a kind that its rules evaluate was not complete, the run could not evaluate one of the rules, it scanned a part of the fleet, or the runs do not cover the period. met_with_exceptions: met at the end of the period, and not all the time. met: none of these; see exemptions and observations. not_covered: no rule gives evidence for it.',
    ),
  reason: z.string().min(1),
  rules: listOf(controlRule),
  violations: listOf(controlViolation).describe('All that its rules found, regardless of their state.'),
  accepted: listOf(schemas.acceptance).describe('Violations of its rules that people accepted, oldest first.'),
  waivers: listOf(controlWaiver),
  exemptions: listOf(exemption).describe('What does not count against it, because a person or the policy decided so.'),
  exceptions: listOf(exception)
    .describe('Of a control over a period: violations at the threshold or above that were open within it, and ended.')
    .exactOptional(),
  observations: schemas.count.describe('Open violations below the threshold.'),
  evidence: evidence.nullable(),
  coverage: controlCoverage,
})
export type ControlEvidence = z.infer<typeof control>
export type ControlState = ControlEvidence['state']

const timeGap = z.object({ from: schemas.time, to: schemas.time, ms: schemas.count })
export type TimeGap = z.infer<typeof timeGap>

const period = z.object({
  from: schemas.time,
  to: schemas.time,
  runs: schemas.count.describe('Committed runs.'),
  interrupted: schemas.count,
  pruned: schemas.count.describe(
    'Runs between the first and the last of them that are gone, with what began and ended between two that are left.',
  ),
  incomplete: listOf(
    z.object({
      run: schemas.count,
      at: schemas.time,
      walks: schemas.count.describe('Walks that were not complete.'),
    }),
  ).describe('Runs with a walk that was not complete.'),
  longest_gap: timeGap.describe('The longest time without a run, the ends of the period included.'),
  longest_incomplete: timeGap.describe(
    'The longest time without a run whose walks were all complete, or without a complete scan of one of the projects, the ends of the period included.',
  ),
  most_gap_ms: z
    .number()
    .min(0)
    .describe(
      'The longest time without a run that leaves no gap in the evidence: by the schedules of the configuration, or 25 h.',
    ),
  gaps: schemas.count.describe('How often that was exceeded.'),
  covered_ms: schemas.count.describe('How much of the period the runs cover.'),
  evidence,
})
export type CompliancePeriod = z.infer<typeof period>

const formerProject = z.object({ project: z.string(), run: schemas.count, at: schemas.time })
export type FormerProject = z.infer<typeof formerProject>

const scope = z
  .object({
    company: z.string().nullable(),
    gateways: listOf(
      z.object({
        service: z.string(),
        url: z.string().describe('Without credentials; what may be a secret in it is sealed.'),
        projects: z
          .enum(['all', 'matched', 'named'])
          .describe(
            "Whether the service's list decides which projects are scanned: all of it, what patterns match, or no list.",
          ),
        key: z
          .enum(['shared', 'own', 'single'])
          .describe(
            'Whether one key reads several projects, each project has a key of its own, or one project is named, with one key: what else that key reads is not known.',
          ),
      }),
    ),
    projects: listOf(z.string()).describe('Scanned by the run.'),
    unscanned: listOf(z.string()).describe('Known, and not to be scanned by the run.'),
    former: listOf(formerProject).describe(
      'Scanned by an earlier run of the period, and no longer known to the configuration: each with its last scan.',
    ),
    named_only: listOf(z.string()).describe(
      'Services whose other projects are not in scope, because the configuration names those that are.',
    ),
    packs: listOf(z.string()).describe('Of the policy.'),
    ignored: listOf(z.object({ path: z.string(), configured_at: decision.shape.configured_at })).describe(
      'Fields that the policy of the run, or an earlier one of the period, leaves out of drift.',
    ),
    schedules: listOf(
      z.object({
        name: z.string(),
        cron: z.string(),
        timezone: z.string(),
        interval_ms: z
          .number()
          .nullable()
          .describe('The longest time between two ticks; null where the pattern is not a timetable.'),
      }),
    ).describe('Of the configuration.'),
    schedule: z
      .string()
      .nullable()
      .describe('The schedule that started the run; null: a person or another program did.'),
  })
  .describe('What the run was to cover, as configured then.')
export type ComplianceScope = z.infer<typeof scope>

const expectedChange = z.object({
  run: schemas.count,
  project: schemas.project,
  kind: schemas.kind,
  uid: z.string(),
  name: z.string(),
  change: z.enum(changeTypes),
  between: schemas.changeTimes,
  window: z.string(),
  ticket: z.string().nullable(),
})
export type ExpectedChange = z.infer<typeof expectedChange>

const periodChange = schemas.change.extend({ run: schemas.count, between: schemas.changeTimes })

const periodApproval = z.object({
  project: schemas.project,
  run: z.int().min(1).nullable().describe('The run whose state was approved; null when it came from files.'),
  at: schemas.time,
  by: z.string(),
  os_user: z.string().nullable().describe('Account and host, as the operating system named them; null where unknown.'),
  note: z.string().nullable(),
})

const periodRun = z.object({
  run: schemas.count,
  started_at: schemas.time,
  incomplete: schemas.count.describe('Walks that were not complete.'),
  chain: z.string().nullable().describe("The chain's digest after the run."),
})

/** What a period holds, for an auditor to sample from. */
const population = {
  runs: listOf(periodRun).describe('Committed runs of the period.').exactOptional(),
  changes: listOf(periodChange).describe('Changes that they found, the earliest first.').exactOptional(),
  approvals: listOf(periodApproval)
    .describe('States that people approved in the period, also those revoked since.')
    .exactOptional(),
}

const preparation = z.object({
  at: schemas.time,
  by: z.string().describe('Account and host, as the operating system named them.'),
})
export type Preparation = z.infer<typeof preparation>

/** A run's report by the controls of a framework. Its JSON form is part of the outer contract. */
export const complianceSchema = z
  .object({
    schema: z.literal('hookdrift.compliance/3'),
    framework: z.string().min(1),
    title: z.string().min(1),
    tool: schemas.tool,
    run: schemas.run,
    digests: schemas.digests,
    verify: z.string().min(1).describe('The command that checks the history behind it.'),
    period: period.exactOptional(),
    threshold: schemas.severity.describe('Open violations of this severity or above decide: those that fail the run.'),
    coverage_of_fleet: schemas.coverageOfFleet,
    scope,
    expected_changes: listOf(expectedChange).describe(
      'Changes of the run, or of the period, that may have been made in a change window; the latest first.',
    ),
    ...population,
    prepared: preparation.exactOptional(),
    controls: listOf(control).describe('All controls of the framework, in its order.'),
  })
  .meta({
    title: 'hookdrift compliance report',
    description:
      'What a run says of the controls of a framework (hookdrift.compliance/3). Members may be added, never renamed: ignore those you do not know.',
  })
publishedSchemas.add(complianceSchema, { id: 'compliance-3' })
export type Compliance = z.infer<typeof complianceSchema>
export type Population = Required<Pick<Compliance, 'runs' | 'changes' | 'approvals'>>

/** `, with 2 exemptions and 1 observation`; empty without any. */
export function describeBesides({
  exemptions,
  observations,
}: {
  readonly exemptions: number
  readonly observations: number
}): string {
  const said = [
    ...(exemptions === 0 ? [] : [count(exemptions, 'exemption')]),
    ...(observations === 0 ? [] : [count(observations, 'observation')]),
  ]
  return said.length === 0 ? '' : `, with ${said.join(' and ')}`
}
