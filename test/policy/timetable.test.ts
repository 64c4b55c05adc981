import { describe, expect, it } from 'vitest'
import { nextTimes } from '../../src/app/worker/next-times.ts'
import { readConfiguration } from '../../src/config/read-configuration.ts'
import { AuditError } from '../../src/model/errors.ts'
import { longestInterval, timetableFaultsAt } from '../../src/policy/timetable.ts'
import { acmeEnv, file, referenceSources } from '../config/config-fixture.ts'
import { aSchedule } from '../worker/worker-harness.ts'

const now = Date.parse('2026-11-21T03:00:00Z')

const services = `services:
  - { name: acme, url: "https://hooks.example.com", key: not-a-real-key, projects: [{ id: p1, name: payments }] }
`

function refusals(schedules: string) {
  const options = { findTimetableFault: timetableFaultsAt(now) }
  try {
    readConfiguration(file, referenceSources(`schedules:\n${schedules}${services}`, { env: acmeEnv }), options)
    return []
  } catch (error) {
    if (!(error instanceof AuditError) || error.kind !== 'usage') throw error
    return error.message.split('\n').map((line) => line.replace(`${file}:`, ''))
  }
}

const fields = 'expected five fields (minute hour day month weekday), or six with seconds first'

describe('a schedule is refused at its place', () => {
  it.each([
    ['cron: "61 * * * *"', '2:22: "61 * * * *" is not a valid schedule: Invalid value for minute: 61'],
    ['cron: "0 0 31 2 *"', '2:22: "0 0 31 2 *" is not a valid schedule: it never fires'],
    ['cron: "* * *"', `2:22: "* * *" is not a pattern, ${fields}`],
    ['cron: "0 0 0 1 1 * 2020"', `2:22: "0 0 0 1 1 * 2020" is not a pattern, ${fields}`],
    ['cron: "2030-01-01T00:00:00"', `2:22: a text (not shown) is not a pattern, ${fields}`],
    ['cron: "? * * * *"', `2:22: a text (not shown) is not a pattern, ${fields}`],
    ['cron: "@reboot"', `2:22: a text (not shown) is not a pattern, ${fields}`],
    [
      'cron: "0 * * * *", timezone: Europe/Berln',
      '2:45: there is no time zone `Europe/Berln`, did you mean Europe/Berlin?',
    ],
    ['cron: "0 * * * *", timezone: Mars', '2:45: there is no time zone `Mars`, expected one such as Europe/Berlin'],
    ['cron: "*/15 * * * *", jitter: 15m', '2:46: a jitter of 900 s, but two ticks are 900 s apart: expected less'],
    ['cron: "0 * * * *", projects: [payments, "other/*"]', '2:56: `other/*` matches none of acme/payments'],
    [
      'cron: "0 * * * *", run_timeout: 0s',
      '2:48: run_timeout is "0s", expected a duration such as `5s`, from 1s to 24h (units ms, s, m, h)',
    ],
  ])('%s', (members, line) => {
    expect(refusals(`  - { name: a, ${members} }\n`)).toEqual([line])
  })

  it('when its name is taken', () => {
    const one = '  - { name: a, cron: "0 * * * *" }\n'
    expect(refusals(one + one)).toEqual(['3:13: a second schedule named a, the first is in line 2'])
  })

  it('and kept when it is valid', () => {
    for (const cron of ['*/15 * * * *', '0 0 29 2 *', '@hourly', '*/10 * * * * *', '0 8-18 * * MON-FRI', '0 0 L * *']) {
      expect(refusals(`  - { name: a, cron: "${cron}" }\n`)).toEqual([])
    }
  })
})

it('the next times of all schedules come in order, with the local time of the zone', () => {
  const schedules = [
    aSchedule({ name: 'night', cron: '30 2 * * *', timezone: 'Europe/Berlin' }),
    aSchedule({ name: 'noon', cron: '0 12 * * *' }),
  ]
  const rows = nextTimes(schedules, Date.parse('2026-03-28T03:00:00Z'), 2)
  expect(rows.map(({ at, schedule, local }) => `${at} ${schedule} ${local}`)).toEqual([
    '2026-03-28T12:00:00Z noon Sat 2026-03-28 12:00:00 +00:00',
    '2026-03-29T01:00:00Z night Sun 2026-03-29 03:00:00 +02:00',
    '2026-03-29T12:00:00Z noon Sun 2026-03-29 12:00:00 +00:00',
    '2026-03-30T00:30:00Z night Mon 2026-03-30 02:30:00 +02:00',
  ])
})

describe('the longest time between two ticks', () => {
  const hour = 3_600_000
  const longest = (cron: string, day: number) =>
    (longestInterval({ cron, timezone: 'UTC' }, Date.UTC(2026, 10, day)) ?? 0) / hour

  it('is that of the rest of an hour, and of an hour that is left out', () => {
    for (const day of [16, 17]) {
      expect(longest('0-54 * * * *', day)).toBe(6 / 60)
      expect(longest('* 0-22 * * *', day)).toBe(61 / 60)
      expect(longest('*/10 0-11,13-23 * * *', day)).toBe(70 / 60)
    }
  })

  it('is that of nights, weekends and the rest of a month, from any day on', () => {
    for (const day of [16, 17, 18, 19, 20, 21, 22]) {
      expect(longest('0 8-18 * * 1-5', day)).toBe(62)
      expect(longest('*/5 9-16 * * *', day)).toBe(16 + 5 / 60)
      expect(longest('* * 9-16 1-7 * *', day)).toBe(24 * 24 + 16 + 1 / 3600)
      expect(longest('*/15 * * * *', day)).toBe(1 / 4)
    }
  })
})
