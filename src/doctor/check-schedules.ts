import type { Schedule } from '../config/read-configuration.ts'
import { nextTimes } from '../worker/next-times.ts'
import { type Finding, ok, skipped } from './check.ts'

/** The next time of each schedule. A faulty one is left out: the configuration's check reports it. */
export function checkSchedules(schedules: readonly Schedule[], now: number, isCut: boolean): readonly Finding[] {
  const found = schedules.map((schedule) => {
    const [next] = nextTimes([schedule], now, 1)
    return ok(`${schedule.name}, next ${next?.local ?? 'never'} (${schedule.timezone})`)
  })
  if (isCut) return [...found, skipped('a schedule has a mistake: see configuration')]
  return found.length === 0 ? [skipped('none configured: audits run when they are started')] : found
}
