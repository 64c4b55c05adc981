import type { Schedule } from '../config/configuration.ts'
import { readTimetable } from '../policy/timetable.ts'
import type { AnswerView } from '../report/show-answer.ts'

export interface NextTime {
  readonly schedule: string
  /** ISO 8601, UTC; before jitter. */
  readonly at: string
  readonly timezone: string
  /** The time on the zone's clock: `Sun 2026-03-29 03:00:00 +02:00`. */
  readonly local: string
}

/** The next times of all schedules, in order of time. */
export function nextTimes(
  schedules: readonly Pick<Schedule, 'name' | 'cron' | 'timezone'>[],
  now: number,
  count: number,
): readonly NextTime[] {
  const times = schedules.flatMap((schedule) => {
    const timetable = readTimetable(schedule)
    const ticks: number[] = []
    while (ticks.length < count) ticks.push(timetable.after(ticks.at(-1) ?? now))
    return ticks.map((at) => ({ at, schedule }))
  })
  return times
    .sort((a, b) => a.at - b.at)
    .map(({ at, schedule: { name, timezone } }) => ({
      schedule: name,
      at: new Date(at).toISOString().replace('.000Z', 'Z'),
      timezone,
      local: localTime(timezone, at),
    }))
}

function localTime(timeZone: string, at: number): string {
  const numbers = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  } as const
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    timeZoneName: 'longOffset',
    ...numbers,
  })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? ''
  const offset = of('timeZoneName').replace('GMT', '') || '+00:00'
  return `${of('weekday')} ${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${offset}`
}

export const nextTimesView: AnswerView<NextTime> = {
  columns: [
    { name: 'at', value: ({ at }) => at },
    { name: 'schedule', value: ({ schedule }) => schedule },
    { name: 'local', value: ({ local }) => local },
    { name: 'timezone', value: ({ timezone }) => timezone },
  ],
  nothing: 'No schedule ever runs.',
  isOfRun: false,
}
