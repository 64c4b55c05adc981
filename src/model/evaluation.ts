import { z } from 'zod'
import { releaseRange } from './release-range.ts'
import { count, fileLocation, kind, listing, listOf, project, time } from './schema.ts'
import { type DueDurations, severity } from './violation.ts'
import { windowTime } from './window-time.ts'

/** A rule that a run evaluated. */
export const evaluatedRule = z.object({
  id: z.string().min(1),
  kind,
  title: z.string(),
  remediation: z.string().describe('What to do about its problems.'),
  severity,
  controls: listOf(z.string()),
  needs: listOf(kind).describe('Kinds that must be seen completely before its silence means anything.'),
})
export type EvaluatedRule = z.infer<typeof evaluatedRule>

/** A field that a rule could not rely on: it did not evaluate the resources that have it so. */
export const doubt = z.object({
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
export type RuleDoubt = z.infer<typeof doubt>

/** How much of a project a run evaluated. */
export const evaluatedProject = z.object({
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
  release: releaseRange
    .describe("The service's release, as far as the answers show it; absent where nothing did.")
    .exactOptional(),
  windows: listOf(windowTime)
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
export type EvaluationStats = Pick<ReportProject, 'resources' | 'evaluated_by_rule' | 'not_evaluated' | 'rows_unread'>

/** A project as a run found it configured, and how much of it was evaluated. Members without a value are absent. */
export interface ProjectEvaluation extends ReportProject {
  /** Template of its resources' addresses in the gateway's own UI, with `{kind}`, `{listing}`, `{uid}`. */
  readonly ui_url?: string
  /** When the settings that the scan took were written, by the service's clock (ISO 8601, UTC). */
  readonly settings_at?: string
  /** The policy's due durations. */
  readonly due?: DueDurations
  /** Paths whose changes the policy left out of drift. */
  readonly ignore?: readonly string[]
}
