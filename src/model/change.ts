import { z } from 'zod'
import { anyJson, kind, listOf, name, pointer, time, uid } from './schema.ts'

export const changeTypes = ['added', 'removed', 'modified'] as const
export type ChangeType = (typeof changeTypes)[number]

/** One attribute that differs. Never `undefined`: a member that one side did not show is not a field change. */
export const fieldChange = z
  .object({ path: pointer, before: anyJson, after: anyJson })
  .describe('null: the attribute was empty or not there. Secrets are sealed: sealed:<hex> or sealed:masked.')
export type FieldChange = z.infer<typeof fieldChange>

/** Within which time a change came about, and the runs at its ends. */
export const changeTimes = z.object({
  after: time
    .nullable()
    .describe(
      'Start of the last complete scan that saw the resource as before; null where that is not recorded, or the clock went back.',
    ),
  before: time.describe('End of the first scan that saw it changed.'),
  after_run: z.int().min(1).nullable().describe('The run of that complete scan; null where it is not known.'),
  before_run: z.int().min(1).describe('The run of that first scan.'),
})
export type ChangeTimes = z.infer<typeof changeTimes>
export type TimeSpan = Pick<ChangeTimes, 'after' | 'before'>

/** Drift of one resource against the last complete walk of its listing. */
export const resourceChange = z.object({
  kind,
  uid,
  name,
  change: z.enum(changeTypes),
  fields: listOf(fieldChange).describe('Sorted by path; empty for added and removed.'),
})
export type Change = z.infer<typeof resourceChange>
