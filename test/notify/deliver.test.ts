import { describe, expect, it } from 'vitest'
import type { History } from '../../src/history/history.ts'
import { findFirstWaiting, listChannels, listUndelivered } from '../../src/history/sql/outbox.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { type Delivery, deliver, waitMs } from '../../src/notify/deliver.ts'
import { accepted, type Outcome, refused } from '../../src/notify/message.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { aMessage } from './samples.ts'

const hourS = 3600
const newFile = temporaryDatabasePaths()

/** A receiver that answers as configured and remembers what it got; and a worker that comes back as time passes. */
function aDelivery() {
  const machines = new Machines()
  const file = newFile()
  let process = machines.process(1)
  let history: History = openSqliteHistory(file, process)
  const got: string[] = []
  const messages: string[] = []
  let answer: (id: string) => Outcome | Promise<Outcome> = () => accepted
  const isoNow = () => new Date(process.now()).toISOString()
  return {
    got,
    messages,
    machines,
    history: () => history,
    now: () => process.now(),
    answers: (next: typeof answer) => {
      answer = next
    },
    write: (...ids: string[]) =>
      history.enqueue(
        ids.map((id) => ({ id, channel: 'hook', run: 1, body: JSON.stringify(aMessage(id)) })),
        isoNow(),
      ),
    /** Kills the process at once and starts another one. */
    restart() {
      process.kill()
      process = machines.process(2)
      history = openSqliteHistory(file, process)
    },
    deliver: (other: Partial<Delivery> & { readonly target?: string } = {}) =>
      deliver(history, {
        receivers: [
          {
            name: 'hook',
            target: other.target ?? 'sealed:1',
            send: async (message) => {
              got.push(message.id)
              return answer(message.id)
            },
          },
        ],
        now: process.now,
        timeoutMs: 10_000,
        totalMs: 60_000,
        timeoutAfter: () => new AbortController().signal,
        every: process.every,
        signal: new AbortController().signal,
        isPatient: true,
        watch: {
          delivered: (_, id) => messages.push(`${id} delivered`),
          failed: (_, id, error) => messages.push(`${id} failed: ${error}`),
          gone: (channel) => messages.push(`${channel} gone`),
          gaveUp: (_, id, error) => messages.push(`${id} given up: ${error}`),
        },
        ...other,
      }),
  }
}

/** A delivery whose first message the receiver has, and has not answered yet. */
async function aMessageUnderWay() {
  const harness = aDelivery()
  await harness.write('m1')
  const { promise, resolve: answer } = Promise.withResolvers<Outcome>()
  harness.answers(() => promise)
  const first = harness.deliver()
  await expect.poll(() => harness.got).toEqual(['m1'])
  return { harness, answer, first }
}

describe('delivery', () => {
  it('hands messages over in the order in which they were written, each once', async () => {
    const harness = aDelivery()
    await harness.write('m1', 'm2')
    await harness.write('m3')
    await harness.deliver()
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm2', 'm3'])
  })

  it('keeps the order when a receiver fails: later messages wait', async () => {
    const harness = aDelivery()
    harness.answers((id) => (id === 'm2' && harness.got.length < 4 ? refused('answered 500') : accepted))
    await harness.write('m1', 'm2', 'm3')
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm2'])
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm2']) // its time has not come
    await harness.machines.pass(10)
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm2', 'm2'])
    await harness.machines.pass(20)
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm2', 'm2', 'm2', 'm3'])
    expect(await listUndelivered(harness.history())).toEqual([])
  })

  it('waits longer after each failure, half an hour at most', () => {
    expect([1, 2, 3, 4, 8, 9, 50].map(waitMs)).toEqual([
      10_000, 20_000, 40_000, 80_000, 1_280_000, 1_800_000, 1_800_000,
    ])
  })

  it('gives a message up after a day, and then tries the next', async () => {
    const harness = aDelivery()
    harness.answers((id) => (id === 'm1' ? refused('answered 500') : accepted))
    await harness.write('m1', 'm2')
    for (let minutes = 0; minutes < 24 * 60; minutes += 10) {
      await harness.deliver()
      await harness.machines.pass(600)
    }
    expect(harness.got).not.toContain('m2')
    expect((await listUndelivered(harness.history())).map(({ state }) => state)).toEqual(['pending', 'pending'])
    await harness.machines.pass(hourS)
    await harness.deliver()
    expect(harness.got.at(-1)).toBe('m2')
    expect(harness.messages.filter((line) => line.includes('given up'))).toEqual(['m1 given up: answered 500'])
    const [dead] = await listUndelivered(harness.history())
    expect(dead).toMatchObject({ id: 'm1', state: 'dead', error: 'answered 500' })
    expect(dead?.attempts).toBeGreaterThan(40)
  })

  it('waits as long as a receiver asks, and gives no message up because of it', async () => {
    const harness = aDelivery()
    harness.answers(() => ({ ok: false, error: 'answered 429', waitMs: 2 * hourS * 1000 }))
    await harness.write('m1')
    await harness.deliver()
    await harness.machines.pass(2 * hourS - 1)
    await harness.deliver()
    expect(harness.got).toEqual(['m1'])
    await harness.machines.pass(23 * hourS)
    await harness.deliver()
    expect(harness.messages).toEqual(['m1 failed: answered 429', 'm1 failed: answered 429'])
    harness.answers(() => accepted)
    await harness.machines.pass(2 * hourS)
    await harness.deliver()
    expect(harness.messages.at(-1)).toBe('m1 delivered')
  })

  it('gives a message that takes several requests the time of all', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    const asked: number[] = []
    const timeoutAfter = (ms: number) => {
      asked.push(ms)
      return new AbortController().signal
    }
    const slow = { name: 'hook', target: 'sealed:1', isSlow: true, send: async () => accepted }
    await harness.deliver({ receivers: [slow], timeoutAfter })
    expect(asked).toEqual([60_000])
  })

  it('tries a late message once more before it gives it up', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    await harness.machines.pass(48 * hourS)
    await harness.deliver()
    expect(harness.messages).toEqual(['m1 delivered'])
  })

  it('stops for a receiver that is gone, and says so, until the receiver changes', async () => {
    const harness = aDelivery()
    harness.answers(() => ({ ok: false, error: 'answered 410', isGone: true }))
    await harness.write('m1', 'm2')
    await harness.deliver()
    await harness.machines.pass(hourS)
    await harness.write('m3')
    await harness.deliver()
    await harness.deliver({ isPatient: false })
    expect(harness.got).toEqual(['m1'])
    expect(harness.messages).toEqual(['hook gone', 'm1 failed: answered 410'])
    expect((await listChannels(harness.history()))[0]).toMatchObject({ pending: 3, gone: { target: 'sealed:1' } })
    harness.answers((id) => (id === 'm2' ? refused('answered 500') : accepted))
    await harness.deliver({ target: 'sealed:2' })
    expect(harness.got).toEqual(['m1', 'm1', 'm2'])
    // It is tried again, so nothing says that it is disabled.
    expect((await listChannels(harness.history()))[0]).toMatchObject({ pending: 2, gone: null })
  })

  it('gives up messages that wait a day for a receiver that is gone, or for a removed channel', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    await harness.machines.pass(23 * hourS)
    await harness.write('m2')
    await harness.deliver({ receivers: [] })
    expect((await listUndelivered(harness.history())).map(({ state }) => state)).toEqual(['pending', 'pending'])
    await harness.machines.pass(2 * hourS)
    await harness.deliver({ receivers: [] })
    expect((await listUndelivered(harness.history())).map(({ id, state }) => `${id} ${state}`)).toEqual([
      'm1 dead',
      'm2 pending',
    ])
  })

  it('repeats a message under its id when it was killed between delivery and record', async () => {
    const harness = aDelivery()
    await harness.write('m1', 'm2')
    const killed = new Promise<never>(() => {})
    harness.answers(() => killed)
    void harness.deliver()
    await expect.poll(() => harness.got).toEqual(['m1'])
    harness.restart()
    harness.answers(() => accepted)
    await harness.deliver()
    expect(harness.got).toEqual(['m1', 'm1', 'm2'])
  })

  it('skips a channel on which another process delivers', async () => {
    const { harness, answer, first } = await aMessageUnderWay()
    await harness.deliver({ isPatient: false })
    answer(accepted)
    await first
    expect(harness.got).toEqual(['m1'])
    expect(harness.messages).toEqual(['m1 delivered'])
  })

  it('keeps the channel for as long as one message takes', async () => {
    const { harness, answer, first } = await aMessageUnderWay()
    for (let beats = 0; beats < 5; beats++) await harness.machines.pass(5)
    harness.answers(() => accepted)
    await harness.deliver({ isPatient: false })
    expect(harness.got).toEqual(['m1'])
    answer(accepted)
    await first
  })

  it('breaks a message off, and does not count it, when another process took the channel', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    let wasBroken = false
    const send = (_: unknown, signal: AbortSignal) =>
      new Promise<Outcome>((resolve) => {
        signal.addEventListener('abort', () => {
          wasBroken = true
          resolve(refused('no answer in time'))
        })
      })
    const renew = harness.history().renew
    const first = harness.deliver({ receivers: [{ name: 'hook', target: 'sealed:1', send }] })
    await expect.poll(async () => (await listChannels(harness.history())).length).toBe(1)
    Object.assign(harness.history(), { renew: async () => false })
    await expect.poll(() => harness.machines.pass(5).then(() => wasBroken)).toBe(true)
    await first
    Object.assign(harness.history(), { renew })
    expect(await findFirstWaiting(harness.history(), 'hook')).toMatchObject({ id: 'm1', attempts: 0 })
  })

  it('does not count a stop as a failure of the receiver', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    const stop = new AbortController()
    harness.answers(() => {
      stop.abort()
      return refused('no answer in time')
    })
    await harness.deliver({ signal: stop.signal })
    expect(harness.messages).toEqual([])
    expect(await findFirstWaiting(harness.history(), 'hook')).toMatchObject({ id: 'm1', attempts: 0 })
  })

  it('of a one-shot run tries each message once, within its time', async () => {
    const harness = aDelivery()
    await harness.write('m1', 'm2', 'm3')
    harness.answers((id) => {
      if (id === 'm2') harness.machines.pass(5)
      return accepted
    })
    await harness.deliver({ isPatient: false, totalMs: 5_000 })
    expect(harness.got).toEqual(['m1', 'm2'])
    harness.answers(() => refused('answered 500'))
    await harness.deliver({ isPatient: false, totalMs: 5_000 })
    await harness.deliver({ isPatient: false, totalMs: 5_000 })
    expect(harness.got).toEqual(['m1', 'm2', 'm3', 'm3'])
  })

  it('serves each channel regardless of the others', async () => {
    const harness = aDelivery()
    await harness.write('m1')
    await harness
      .history()
      .enqueue(
        [{ id: 'n1', channel: 'chat', run: 1, body: JSON.stringify(aMessage('n1')) }],
        '2026-03-01T00:00:00.000Z',
      )
    const chat: string[] = []
    const never = new Promise<never>(() => {})
    void harness.deliver({
      receivers: [
        { name: 'hook', target: '', send: () => never },
        {
          name: 'chat',
          target: '',
          send: async ({ id }) => {
            chat.push(id)
            return accepted
          },
        },
      ],
    })
    await expect.poll(() => chat).toEqual(['n1'])
  })
})
