import { z } from 'zod'
import type { Gap } from './gap.ts'
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

/** How much of a project a run evaluated. */
export const evaluatedProject = z.object({
  project,
  labels: z.record(z.string(), z.string()),
  configured_at: fileLocation.nullable().describe('Where it is configured; null when that is not a file.'),
  resources: z.record(z.string(), count).describe('Resources that were seen and evaluated, by kind.'),
  evaluated_by_rule: z
    .record(z.string(), count)
    .describe('How many of its kind a rule evaluated, where overrides left some out.'),
  not_compared: listOf(listing)
    .describe(
      'Listings that no earlier run walked to their end: there was nothing to compare them with. Absent when there are none.',
    )
    .exactOptional(),
  approved_at: time.describe('When its baseline was approved; absent without one.').exactOptional(),
  release: releaseRange
    .describe("The service's release, as far as the answers show it; absent where nothing did.")
    .exactOptional(),
  not_licensed: z
    .record(z.string(), z.string())
    .describe(
      "Rules that do not apply, because the service's licence does not have what they are about, with the service's name of that feature. Absent when there are none.",
    )
    .exactOptional(),
  windows: listOf(windowTime)
    .describe('Times of change windows in which changes of the run may have been made. Absent without any.')
    .exactOptional(),
})
export type ReportProject = z.infer<typeof evaluatedProject>
export type EvaluationStats = Pick<ReportProject, 'resources' | 'evaluated_by_rule'>

/** A project as a run found it configured, and how much of it was evaluated. Members without a value are absent. */
export interface ProjectEvaluation extends ReportProject {
  readonly gaps: readonly Gap[]
  /** Template of its resources' addresses in the gateway's own UI, with `{kind}`, `{listing}`, `{uid}`. */
  readonly ui_url?: string
  /** When the settings that the scan took were written, by the service's clock (ISO 8601, UTC). */
  readonly settings_at?: string
  /** The policy's due durations. */
  readonly due?: DueDurations
  /** Paths whose changes the policy left out of drift. */
  readonly ignore?: readonly string[]
}
