import { z } from 'zod'
import { changeTypes } from '../model/change.ts'
import { listOf, schemas } from '../report/report-schema.ts'

/**
 * How a resource changed in a run. More than the changes of a report: `first_seen` by the first scan of its kind;
 * `restated` when another version was stored without a changed field (the service showed more, secrets were sealed
 * under another key); null when only its violations changed.
 */
const timelineChanges = [...changeTypes, 'first_seen', 'restated'] as const
export type TimelineChange = (typeof timelineChanges)[number] | null

const timelineViolation = z.object({
  fingerprint: z.string(),
  rule: z.string(),
  severity: schemas.severity,
  state: schemas.violation.shape.state,
  resolution: schemas.violation.shape.resolution,
  ended_by: schemas.violation.shape.ended_by,
  path: schemas.pointer,
  message: z.string(),
})
export type TimelineViolation = z.infer<typeof timelineViolation>

export const timelineRow = z.object({
  run: schemas.count,
  at: z.string(),
  project: schemas.project,
  kind: schemas.kind,
  uid: schemas.uid,
  name: schemas.name,
  change: z.enum(timelineChanges).nullable().describe('null when only violations changed.'),
  fields: listOf(schemas.fieldChange),
  between: schemas.changeTimes
    .nullable()
    .describe('When it came about; null where only violations changed, and where the change is not recorded any more.'),
  notes: schemas.drift.shape.notes,
  violations: listOf(timelineViolation),
})
export type TimelineRow = z.infer<typeof timelineRow>
