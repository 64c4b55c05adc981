import type { TimeSpan } from './change.ts'

/** A time of a change window, of which a run keeps those in which its changes may have been made. ISO 8601 in UTC. */
export interface WindowTime {
  /** Of the window. */
  readonly name: string
  readonly ticket: string | null
  readonly from: string
  /** The window is closed from then on. */
  readonly to: string
}

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
