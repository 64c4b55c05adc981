import { z } from 'zod'
import { type Compliance, controlStates, exemptionKinds } from '../../compliance/compliance.ts'
import { changeTypes } from '../../model/change.ts'
import { gapStatuses } from '../../model/coverage.ts'
import { listOf, publishAs, schemas } from '../../model/report-schema.ts'

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
const configuredAt = z
  .object({ file: z.string(), line: z.int().min(1) })
  .nullable()
  .describe('The line of the policy.')
const exemption = z.object({
  kind: z.enum(exemptionKinds),
  rule: z.string(),
  fingerprint: z.string().nullable().describe('null for a rule that is off or overridden.'),
  by: z.string().nullable().describe('null where the policy does not name a person.'),
  reason: z.string().nullable(),
  at: schemas.time.nullable().describe('When it was decided; null where that is not known.'),
  until: schemas.time.nullable().describe('The instant at which it ends; null: no end.'),
  configured_at: configuredAt,
  match: z.string().nullable().describe('Of a rule, for which resources, in words; null for all.'),
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
  ticket: z.string().exactOptional(),
  run: z.int().min(1).describe('The run whose state was approved.').exactOptional(),
})
const control = z.object({
  id: z.string().min(1),
  title: z.string().min(1),
  state: z
    .enum(controlStates)
    .describe(
      'not_met: an open violation at the threshold or above. not_assessed: rules give evidence for it, and the run evaluated none of them. partially_assessed: a walk of a kind that its rules evaluate was not complete, the run could not evaluate one of the rules, it scanned a part of the fleet, or the runs do not cover the period. met: none of these; see exemptions and observations. not_covered: no rule gives evidence for it.',
    ),
  reason: z.string().min(1),
  rules: listOf(
    z.object({
      id: z.string().min(1),
      title: z.string(),
      severity: schemas.severity,
      rationale: z.string().describe('Why it gives evidence for the control.'),
      evaluated: schemas.count.describe('Resources that the run evaluated it for.'),
      not_evaluated: listOf(z.object({ project: z.string(), reason: z.string() })),
    }),
  ),
  violations: listOf(
    schemas.violation.extend({
      resolved_at: schemas.time.exactOptional(),
      open_ms: schemas.count.describe('From the run that opened it to its resolution, or to the run of the report.'),
    }),
  ).describe('All that its rules found, regardless of their state.'),
  accepted: listOf(schemas.acceptance).describe('Violations of its rules that people accepted, oldest first.'),
  waivers: listOf(
    schemas.waiver.extend({ rule: z.string(), violations: schemas.count.describe('How many violations it accepts.') }),
  ),
  exemptions: listOf(exemption).describe('What does not count against it, because a person or the policy decided so.'),
  observations: schemas.count.describe('Open violations below the threshold.'),
  evidence: evidence.nullable(),
  coverage: z
    .object({
      walks: schemas.count,
      complete: schemas.count,
      pages: schemas.count,
      items: schemas.count,
      duration_ms: z.number().min(0),
      gaps: listOf(
        z.object({
          project: z.string(),
          listing: schemas.walkedListing,
          status: z.enum(gapStatuses),
          reason: z.string().nullable(),
        }),
      ),
    })
    .describe('The walks that show what its rules evaluate.'),
})

export const complianceSchema = z
  .object({
    schema: z.literal('hookdrift.compliance/2'),
    framework: z.string().min(1),
    title: z.string().min(1),
    tool: schemas.tool,
    run: schemas.run,
    digests: schemas.digests,
    verify: z.string().min(1).describe('The command that checks the history behind it.'),
    replayed_with: z
      .object({
        policy: z.string().describe('Digest of the policy that the replay evaluates.'),
        original_policy: z.string().describe('Digest of the policy that the run evaluated.'),
        not_evaluated: listOf(
          z.object({
            rule: z.string(),
            reason: z.string(),
            projects: listOf(z.string()).describe('Where; absent: everywhere.').exactOptional(),
          }),
        ).describe('Rules that the replay cannot evaluate in every run.'),
      })
      .describe('Present when the report replays the history under a policy, instead of showing what was recorded.')
      .exactOptional(),
    period: z
      .object({
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
        longest_gap: z
          .object({ from: schemas.time, to: schemas.time, ms: schemas.count })
          .describe('The longest time without a run, the ends of the period included.'),
        longest_incomplete: z
          .object({ from: schemas.time, to: schemas.time, ms: schemas.count })
          .describe(
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
        evidence: evidence,
      })
      .exactOptional(),
    threshold: schemas.severity.describe('Open violations of this severity or above decide: those that fail the run.'),
    coverage_of_fleet: schemas.coverageOfFleet,
    scope: z
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
              .enum(['shared', 'own'])
              .describe('Whether one key reads several projects, or each project has a key of its own.'),
          }),
        ),
        projects: listOf(z.string()).describe('Scanned by the run.'),
        unscanned: listOf(z.string()).describe('Known, and not to be scanned by the run.'),
        former: listOf(z.object({ project: z.string(), run: schemas.count, at: schemas.time })).describe(
          'Scanned by an earlier run of the period, and no longer known to the configuration: each with its last scan.',
        ),
        named_only: listOf(z.string()).describe(
          'Services whose other projects are not in scope, because the configuration names those that are.',
        ),
        packs: listOf(z.string()).describe('Of the policy.'),
        ignored: listOf(z.object({ path: z.string(), configured_at: configuredAt })).describe(
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
      .describe('What the run was to cover, as configured then.'),
    expected_changes: listOf(
      z.object({
        run: schemas.count,
        project: schemas.project,
        kind: schemas.kind,
        uid: z.string(),
        name: z.string(),
        change: z.enum(changeTypes),
        between: schemas.changeTimes,
        window: z.string(),
        ticket: z.string().nullable(),
      }),
    ).describe('Changes of the run, or of the period, that may have been made in a change window; the latest first.'),
    controls: listOf(control).describe('All controls of the framework, in its order.'),
  })
  .meta({
    title: 'hookdrift compliance report',
    description:
      'What a run says of the controls of a framework (hookdrift.compliance/2). Members may be added, never renamed: ignore those you do not know.',
  })
publishAs<Compliance>()(complianceSchema, 'compliance-2')
