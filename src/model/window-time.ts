import { z } from 'zod'
import type { TimeSpan } from './change.ts'
import { time } from './schema.ts'

/** A time of a change window, of which a run keeps those in which its changes may have been made; closed from `to` on. */
export const windowTime = z.object({ name: z.string(), ticket: z.string().nullable(), from: time, to: time })
export type WindowTime = z.infer<typeof windowTime>

/**
 * The first of some times that touches the time in which a change came about. Nothing shows when within it the change was
 * made, so it has the benefit. Of a change of which that time is not known, nothing is said.
 */
export function windowTimeOf(
  times: readonly WindowTime[] | undefined,
  { after, before }: TimeSpan,
): WindowTime | undefined {
  if (after === null) return undefined
  return times?.find(({ from, to }) => from <= before && after < to)
}
