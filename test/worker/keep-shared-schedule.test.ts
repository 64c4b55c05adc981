import { describe, expect, it } from 'vitest'
import { keepSharedSchedule, ReloadRequests, type SharedSchedules } from '../../src/app/worker/keep-schedule.ts'
import { aSchedule } from './worker-harness.ts'

const hourly = aSchedule({ name: 'hourly', cron: '0 * * * *' })

/** Keeps schedules on a clock that never waits, until `ends`; returns what was asked and skipped. */
async function keep(
  from: string,
  ends: string,
  work: Partial<SharedSchedules> = {},
  stop = new AbortController(),
): Promise<readonly string[]> {
  let now = Date.parse(from)
  const said: string[] = []
  await keepSharedSchedule(
    {
      clock: {
        now: () => now,
        async sleep(ms) {
          now += ms
          if (now >= Date.parse(ends)) stop.abort()
        },
      },
      random: () => 0,
      schedules: [hourly],
      servedUntil: () => undefined,
      reload: async () => [hourly],
      reloads: new ReloadRequests(),
      async ask({ name }, at) {
        said.push(`${name} ${new Date(at).toISOString().slice(11, 16)}`)
        return undefined
      },
      watch: {
        planned: () => {},
        skipped: (schedule, reason, ticks) => said.push(`${schedule} skipped ${reason} ${ticks}`),
        failed: (schedule) => said.push(`${schedule} failed`),
      },
      ...work,
    },
    stop.signal,
  )
  return said
}

describe('the schedules of a worker that shares runs', () => {
  it('ask for a run at each tick, by the time of the pattern', async () => {
    const said = await keep('2026-11-21T03:30:00Z', '2026-11-21T06:30:00Z')
    expect(said).toEqual(['hourly 04:00', 'hourly 05:00', 'hourly 06:00'])
  })

  it('count the ticks of other workers, and those that the workers missed together', async () => {
    const taken = await keep('2026-11-21T03:30:00Z', '2026-11-21T04:30:00Z', { ask: async () => 'elsewhere' })
    expect(taken).toEqual(['hourly skipped elsewhere 1'])
    const missed = await keep('2026-11-21T03:30:00Z', '2026-11-21T03:45:00Z', {
      servedUntil: () => Date.parse('2026-11-20T23:30:00Z'),
    })
    expect(missed).toEqual(['hourly 00:00', 'hourly skipped away 3'])
  })

  it('ask again when the server could not be asked', async () => {
    let tries = 0
    const said = await keep('2026-11-21T03:59:00Z', '2026-11-21T04:30:00Z', {
      async ask() {
        tries += 1
        if (tries < 3) throw new Error('the server is away')
        return undefined
      },
    })
    expect(said).toEqual(['hourly failed', 'hourly failed'])
    expect(tries).toBe(3)
  })

  it('are read again when that is asked for, and not only at the next tick', async () => {
    const reloads = new ReloadRequests()
    const stop = new AbortController()
    let now = Date.parse('2026-11-21T03:10:00Z')
    let naps = 0
    const clock = {
      now: () => now,
      async sleep(ms: number) {
        if (++naps === 5) reloads.ask()
        now += ms
        if (now >= Date.parse('2026-11-21T03:40:00Z')) stop.abort()
      },
    }
    const reload = async () => {
      reloads.take()
      return [{ ...hourly, cron: '30 * * * *' }]
    }
    expect(await keep('', '', { clock, reloads, reload }, stop)).toEqual(['hourly 03:30'])
  })

  it('run at the start where they say so', async () => {
    const onStart = { ...hourly, runOnStart: true }
    const said = await keep('2026-11-21T03:30:00Z', '2026-11-21T03:45:00Z', {
      schedules: [onStart],
      reload: async () => [onStart],
    })
    expect(said).toEqual(['hourly 03:30'])
  })

  it('make up for missed ticks by the run at the start', async () => {
    const onStart = { ...hourly, runOnStart: true }
    const said = await keep('2026-11-21T03:30:00Z', '2026-11-21T03:45:00Z', {
      schedules: [onStart],
      reload: async () => [onStart],
      servedUntil: () => Date.parse('2026-11-20T23:30:00Z'),
    })
    expect(said).toEqual(['hourly 03:30'])
  })

  it('miss no tick when a worker starts during a run of theirs', async () => {
    const onStart = { ...hourly, runOnStart: true }
    const said = await keep('2026-11-21T03:30:00Z', '2026-11-21T04:15:00Z', {
      schedules: [onStart],
      reload: async () => [onStart],
      ask: async () => 'running',
    })
    expect(said).toEqual(['hourly skipped elsewhere 1', 'hourly skipped running 1'])
  })
})
