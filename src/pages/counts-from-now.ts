import { readDuration } from '../model/time.ts'

/** Parameters that name a run or a time; a duration is a time before that of asking. */
const times = ['run', 'at', 'from', 'to', 'since']
/** Ages, and what is late. */
const ages = ['older-than', 'overdue']

/**
 * Whether an address counts from the time of asking: its answer changes while no run comes, so that no copy of it is
 * fresh.
 */
export function countsFromNow(search: URLSearchParams): boolean {
  return [...search].some(([name, value]) => ages.includes(name) || (times.includes(name) && isRelative(value)))
}

function isRelative(time: string): boolean {
  return ['today', 'yesterday'].includes(time) || readDuration(time) !== undefined
}
