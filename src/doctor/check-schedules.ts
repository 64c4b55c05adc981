import type { Schedule } from '../config/configuration.ts'
import { nextTimes } from '../worker/next-times.ts'
import { timetableFaultsAt } from '../worker/timetable.ts'
import { type Diagnosis, ok, skipped } from './check.ts'

/** The next time of each schedule. `isCut`: whether a schedule was left out as faulty. */
export function checkSchedules(schedules: readonly Schedule[], now: number, isCut: boolean): readonly Diagnosis[] {
  const faultOf = timetableFaultsAt(now)
  const sound = schedules.filter((schedule) => faultOf(schedule) === undefined)
  const found = sound.map((schedule) => {
    const [next] = nextTimes([schedule], now, 1)
    return ok(`${schedule.name}, next ${next?.local ?? 'never'} (${schedule.timezone})`)
  })
  if (isCut || sound.length < schedules.length)
    return [...found, skipped('a schedule has a mistake: see configuration')]
  return found.length === 0 ? [skipped('none configured: audits run when they are started')] : found
}
