import { describe, expect, it } from 'vitest'
import { ReloadRequests } from '../../src/app/worker/keep-schedule.ts'
import { AuditError } from '../../src/model/errors.ts'
import { aSchedule, day, hour, iso, minute, work } from './worker-harness.ts'

const times = (runs: readonly { readonly at: number; readonly schedule: string }[]) =>
  runs.map(({ at, schedule }) => `${iso(at).slice(8, 19)} ${schedule}`)

describe('a worker', () => {
  it('runs when its schedule is due', async () => {
    const { runs, skipped } = await work({ forMs: hour })
    expect(times(runs)).toEqual(
      ['21T03:15:00', '21T03:30:00', '21T03:45:00', '21T04:00:00'].map((at) => `${at} quarter-hourly`),
    )
    expect(skipped).toEqual([])
  })

  it('runs at its start on request', async () => {
    const { runs } = await work({ schedules: [aSchedule({ runOnStart: true })], forMs: 20 * minute })
    expect(times(runs)).toEqual(['21T03:00:00 quarter-hourly', '21T03:15:00 quarter-hourly'])
  })

  it('begins up to the jitter late, and loses no tick by it', async () => {
    const { runs } = await work({ schedules: [aSchedule({ jitterMs: 2 * minute })], forMs: 40 * minute })
    expect(times(runs)).toEqual(['21T03:16:00 quarter-hourly', '21T03:31:00 quarter-hourly'])
  })

  it('skips a tick during its own run, and says so', async () => {
    const { runs, skipped } = await work({ forMs: 70 * minute, takesMs: 20 * minute })
    expect(times(runs)).toEqual(['21T03:15:00 quarter-hourly', '21T03:45:00 quarter-hourly'])
    expect(skipped).toEqual(['quarter-hourly running 1', 'quarter-hourly running 1'])
  })

  it('lets the tick of another schedule wait for its turn, once', async () => {
    const schedules = [
      aSchedule({ name: 'long', cron: '0 * * * *' }),
      aSchedule({ name: 'often', cron: '*/5 * * * *' }),
    ]
    const { runs, skipped } = await work({
      schedules,
      from: '2026-11-21T03:58:00Z',
      forMs: 30 * minute,
      takesMs: 12 * minute,
    })
    expect(times(runs)).toEqual(['21T04:00:00 long', '21T04:12:00 often', '21T04:25:00 often'])
    expect(skipped).toEqual(['often running 1', 'often running 1', 'often running 1', 'often running 1'])
  })

  it.each([
    ['an hour', hour, 3],
    ['a day', day, 95],
  ])('has one run for all passed ticks when its clock is set %s ahead', async (_, byMs, away) => {
    const { runs, skipped } = await work({ forMs: hour, steps: [{ atMs: 20 * minute, byMs }] })
    expect(runs.length).toBe(1 + 1 + 3)
    expect(skipped).toEqual([`quarter-hourly away ${away}`])
  })

  it('repeats no tick when its clock is set an hour back, and continues when the clock has caught up', async () => {
    const { runs } = await work({ forMs: 2 * hour, steps: [{ atMs: 50 * minute, byMs: -hour }] })
    expect(times(runs)).toEqual(
      ['21T03:15:00', '21T03:30:00', '21T03:45:00', '21T04:00:00'].map((at) => `${at} quarter-hourly`),
    )
  })

  it('follows a clock that is set a day back', async () => {
    const { runs } = await work({ forMs: hour, steps: [{ atMs: 50 * minute, byMs: -day }] })
    expect(times(runs).at(-1)).toBe('20T04:00:00 quarter-hourly')
  })

  it.each([
    ['one tick', '2026-11-21T02:50:00Z', []],
    ['many', '2026-11-20T02:40:00Z', ['quarter-hourly away 97']],
    ['more than anybody counts', '2016-11-21T00:00:00Z', ['quarter-hourly away 1000']],
  ])('has one run for the ticks during its downtime: %s', async (_, served, skipped) => {
    const from = '2026-11-21T03:05:00Z'
    const log = await work({ from, forMs: 5 * minute, more: { servedUntil: () => Date.parse(served) } })
    expect(times(log.runs)).toEqual(['21T03:05:00 quarter-hourly'])
    expect(log.skipped).toEqual(skipped)
  })

  it('has nothing to catch up with when nothing was missed or scanned before', async () => {
    const from = '2026-11-21T03:05:00Z'
    for (const served of [Date.parse('2026-11-21T03:00:02Z'), undefined]) {
      const { runs } = await work({ from, forMs: 5 * minute, more: { servedUntil: () => served } })
      expect(runs).toEqual([])
    }
  })

  it('counts a tick as skipped while another process writes to the history', async () => {
    const run = async () => {
      throw AuditError.busy('another run writes')
    }
    const { skipped, failed } = await work({ forMs: 20 * minute, more: { run } })
    expect({ skipped, failed }).toEqual({ skipped: ['quarter-hourly busy 1'], failed: [] })
  })

  it('continues with the next tick after an error', async () => {
    const errors = [new Error('disk full'), 'thrown text']
    const run = async () => {
      const error = errors.shift()
      if (error !== undefined) throw error
    }
    const { runs, failed } = await work({ forMs: hour, more: { run } })
    expect(runs.length).toBe(4)
    expect(failed).toEqual(['quarter-hourly: disk full', 'quarter-hourly: thrown text'])
  })

  it('rereads its files before each run: new times and schedules replace old ones', async () => {
    const now = [[aSchedule()], [aSchedule({ cron: '*/20 * * * *' }), aSchedule({ name: 'new', cron: '50 * * * *' })]]
    const reload = async () => now[Math.min(reads++, 1)] ?? []
    let reads = 0
    const { runs } = await work({ forMs: hour, more: { reload } })
    expect(times(runs)).toEqual([
      '21T03:15:00 quarter-hourly',
      '21T03:30:00 quarter-hourly',
      '21T03:40:00 quarter-hourly',
      '21T03:50:00 new',
      '21T04:00:00 quarter-hourly',
    ])
  })

  it('rereads them at once when that is asked for, also during a run, which goes on', async () => {
    const reloads = new ReloadRequests()
    const schedules = [[aSchedule()], [aSchedule({ cron: '10 * * * *', name: 'new' })]]
    const reload = async () => {
      reads += reloads.take() ? 1 : 0
      return schedules[Math.min(reads, 1)] ?? []
    }
    let reads = 0
    const run = async () => {
      if (reads === 0) reloads.ask()
      await new Promise(setImmediate)
    }
    const { runs, failed } = await work({ forMs: 80 * minute, more: { reload, reloads, run } })
    expect(times(runs)).toEqual(['21T03:15:00 quarter-hourly', '21T04:10:00 new'])
    expect(failed).toEqual([])
  })

  it('skips the run of a removed schedule', async () => {
    const { runs, failed } = await work({ forMs: hour, more: { reload: async () => [] } })
    expect({ runs, failed }).toEqual({ runs: [], failed: [] })
  })

  it('waits for the run under way when it is stopped, and begins no other', async () => {
    let isDone = false
    const run = async (_: unknown, signal: AbortSignal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await new Promise(setImmediate)
      isDone = true
    }
    const schedules = [aSchedule(), aSchedule({ name: 'other', cron: '*/20 * * * *' })]
    const { runs } = await work({ schedules, forMs: 30 * minute, more: { run } })
    expect(times(runs)).toEqual(['21T03:15:00 quarter-hourly'])
    expect(isDone).toBe(true)
  })

  it('reports the next tick of each schedule', async () => {
    const { planned } = await work({ forMs: 20 * minute })
    expect([...(planned.at(-1) ?? [])].map(([name, at]) => `${name} ${iso(at)}`)).toEqual([
      'quarter-hourly 2026-11-21T03:30:00.000Z',
    ])
  })
})
