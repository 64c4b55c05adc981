import { afterEach, describe, expect, it } from 'vitest'
import { formatExpiry, readDuration, readPastTime, readTime } from '../../src/model/time.ts'

const dayMs = 86_400_000
const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

describe('a written time', () => {
  it.each(['UTC', 'America/New_York', 'Pacific/Kiritimati'])('means the same on a machine in %s', (machine) => {
    process.env.TZ = machine
    expect(readTime('2026-11-21T03:00:00')?.start).toBe(Date.UTC(2026, 10, 21, 3))
    expect(readTime('2026-11-21T03:00+01:00')?.start).toBe(Date.UTC(2026, 10, 21, 2))
    expect(readTime('2026-11-21')).toEqual({
      start: Date.UTC(2026, 10, 21),
      end: Date.UTC(2026, 10, 22) - 1,
      isZoned: true,
    })
  })

  it.each(['2026-02-31', '2026-13-01', '2026-11-21T25:00:00Z', '2026-11-21 03:00', 'Nov 20 2026', '2026-1-1', '2026'])(
    'is not %s',
    (text) => {
      expect(readTime(text)).toBeUndefined()
    },
  )

  it('may be relative to now', () => {
    const now = Date.UTC(2026, 10, 21, 3)
    expect(readPastTime('today', now)).toEqual(readTime('2026-11-21'))
    expect(readPastTime('yesterday', now)).toEqual(readTime('2026-11-20'))
    expect(readPastTime('7d', now)?.start).toBe(now - 7 * dayMs)
    expect(readPastTime('tomorrow', now)).toBeUndefined()
  })

  it.each([
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['2w', 14 * dayMs],
    ['0d', undefined],
    ['7', undefined],
    ['7 d', undefined],
    ['-7d', undefined],
  ])('reads the duration %s as %s ms', (text, ms) => {
    expect(readDuration(text)).toBe(ms)
  })
})

it.each([
  ['2027-04-01T00:00:00.000Z', 'the end of 2027-03-31'],
  ['2027-03-31T18:30:00+02:00', '2027-03-31 16:30:00 UTC'],
  ['soon', 'soon'],
])('an end is written for people: %s', (iso, written) => {
  expect(formatExpiry(iso)).toBe(written)
})
