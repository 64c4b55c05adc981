import { describe, expect, it } from 'vitest'
import { missedTick } from '../../src/app/worker/next-times.ts'
import {
  type Entry,
  longestNapMs,
  mostCounted,
  openSchedulePlanner,
  type PlannerStart,
  smallStepMs,
} from '../../src/app/worker/schedule-planner.ts'

/** A schedule that ticks at every multiple of so many milliseconds. */
function every(periodMs: number, other: Partial<Entry> = {}): Entry {
  return {
    name: `every ${periodMs}`,
    timetable: { after: (ms) => (Math.floor(ms / periodMs) + 1) * periodMs },
    jitterMs: 0,
    written: `every ${periodMs}`,
    ...other,
  }
}

const open = (entries: readonly Entry[], other: Partial<PlannerStart> = {}) =>
  openSchedulePlanner({ entries, now: 1_000, servedUntil: () => undefined, random: () => 0, ...other })

describe('the planner of schedules', () => {
  it('gives each tick once, when it is due', () => {
    const agenda = open([every(100)])
    expect(agenda.nextDue()).toBe(1_100)
    expect(agenda.take(1_099)).toEqual([])
    expect(agenda.take(1_100)).toEqual([{ schedule: 'every 100', at: 1_100, passed: 0 }])
    expect(agenda.take(1_100)).toEqual([])
    expect(agenda.nextDue()).toBe(1_200)
    expect(agenda.take(1_250)).toEqual([{ schedule: 'every 100', at: 1_200, passed: 0 }])
  })

  it('gives one tick for all passed time, and counts the others', () => {
    const agenda = open([every(100)])
    expect(agenda.take(1_400)).toEqual([{ schedule: 'every 100', at: 1_100, passed: 3 }])
    expect(agenda.nextDue()).toBe(1_500)
  })

  it('counts passed ticks up to a limit, and then goes on from now', () => {
    const exactly = open([every(1)])
    expect(exactly.take(1_001 + mostCounted)).toEqual([{ schedule: 'every 1', at: 1_001, passed: mostCounted }])
    expect(exactly.nextDue()).toBe(1_002 + mostCounted)
    const more = open([every(1)])
    expect(more.take(1_000_000)).toEqual([{ schedule: 'every 1', at: 1_001, passed: mostCounted }])
    expect(more.nextDue()).toBe(1_000_001)
    const fewer = open([every(1)])
    expect(fewer.take(1_000 + mostCounted)).toEqual([{ schedule: 'every 1', at: 1_001, passed: mostCounted - 1 }])
  })

  it('gives ticks of several schedules, earliest first', () => {
    const agenda = open([every(300), every(100), every(200)])
    expect(agenda.nextDue()).toBe(1_100)
    expect(agenda.take(1_200)).toEqual([
      { schedule: 'every 100', at: 1_100, passed: 1 },
      { schedule: 'every 300', at: 1_200, passed: 0 },
      { schedule: 'every 200', at: 1_200, passed: 0 },
    ])
    expect([...agenda.upcoming()]).toEqual([
      ['every 300', 1_500],
      ['every 100', 1_300],
      ['every 200', 1_400],
    ])
  })

  it('catches up with what passed since the projects were last scanned', () => {
    const agenda = open([every(100)], { servedUntil: (schedule) => (schedule === 'every 100' ? 750 : undefined) })
    expect(agenda.nextDue()).toBe(800)
    expect(agenda.take(1_000)).toEqual([{ schedule: 'every 100', at: 800, passed: 2 }])
  })

  it('does not wait for a scan that is dated in the future', () => {
    expect(open([every(100)], { servedUntil: () => 5_000 }).nextDue()).toBe(1_100)
  })

  it('delays a tick by its jitter, and says when it comes', () => {
    const agenda = open([every(100, { jitterMs: 50 })], { random: () => 0.99 })
    expect(agenda.nextDue()).toBe(1_149)
    expect([...agenda.upcoming()]).toEqual([['every 100', 1_149]])
    expect(agenda.take(1_148)).toEqual([])
    expect(agenda.take(1_149)).toEqual([{ schedule: 'every 100', at: 1_100, passed: 0 }])
  })

  it('waits after a small step back of the clock, and repeats no tick', () => {
    const agenda = open([every(100)], { now: smallStepMs * 2 })
    const start = smallStepMs * 2
    expect(agenda.take(start + 100)).toHaveLength(1)
    expect(agenda.take(start + 100 - smallStepMs)).toEqual([])
    expect(agenda.nextDue()).toBe(start + 200)
  })

  it('follows the clock after a larger step back', () => {
    const start = smallStepMs * 2
    const period = 10 * longestNapMs
    const agenda = open([every(period)], { now: start })
    expect(agenda.take(start + period)).toHaveLength(1)
    const back = start + period - smallStepMs - 1
    expect(agenda.take(back)).toEqual([])
    expect(agenda.nextDue()).toBe(Math.ceil(back / period) * period)
    // Small steps are measured from the new time on.
    expect(agenda.take(back + period)).toHaveLength(1)
    expect(agenda.take(back)).toEqual([])
    expect(agenda.nextDue()).toBeGreaterThan(back + period)
  })

  it('gives the tick that a clock passed after a larger step back and before it was read', () => {
    const start = smallStepMs * 2
    const period = 10 * longestNapMs
    const agenda = open([every(period)], { now: start })
    const tick = start - smallStepMs - period
    expect(agenda.take(tick + longestNapMs - 1)).toEqual([{ schedule: `every ${period}`, at: tick, passed: 0 }])
    expect(agenda.take(tick + longestNapMs)).toEqual([])
    expect(agenda.nextDue()).toBe(tick + period)
  })

  it('adds up small steps back from the latest time that it saw', () => {
    const start = smallStepMs * 3
    const agenda = open([every(100)], { now: start })
    agenda.take(start - smallStepMs)
    agenda.take(start - smallStepMs - 1)
    expect(agenda.nextDue()).toBeLessThan(start)
  })

  it('has nothing due without schedules', () => {
    expect(open([]).nextDue()).toBe(Number.POSITIVE_INFINITY)
    expect(open([]).take(9_999)).toEqual([])
  })

  it('keeps the plan of an unchanged schedule, and plans others from now on', () => {
    let chance = 0.5
    const agenda = open([every(100, { jitterMs: 50 }), every(1_000, { name: 'daily' })], { random: () => chance })
    // What is drawn later does not move it.
    chance = 0.9
    agenda.replace([every(100, { jitterMs: 50 }), every(500, { name: 'daily' }), every(700, { name: 'new' })], 1_250)
    expect([...agenda.upcoming()]).toEqual([
      ['every 100', 1_125],
      ['daily', 1_500],
      ['new', 1_400],
    ])
    expect(agenda.nextDue()).toBe(1_125)
    agenda.replace([], 1_300)
    expect(agenda.nextDue()).toBe(Number.POSITIVE_INFINITY)
  })
})

const hourly = { name: 'hourly', cron: '0 * * * *', timezone: 'UTC', projects: [], jitterMs: 0, runTimeoutMs: 600_000 }
const at = (time: string) => Date.parse(`2026-11-20T${time}:00Z`)

describe('a run that was due', () => {
  it('is missed from its tick on', () => {
    expect(missedTick(hourly, at('03:05'), at('03:59'))).toBeUndefined()
    expect(missedTick(hourly, at('03:05'), at('04:00'))).toEqual({ due: at('04:00'), until: at('04:10') })
  })

  it('is the first one since the scan, however many were due since then', () => {
    expect(missedTick(hourly, at('03:05'), at('09:30'))?.due).toBe(at('04:00'))
  })

  it('is not one whose tick came while the scan went on', () => {
    expect(missedTick(hourly, at('04:20'), at('04:30'))).toBeUndefined()
  })
})
