import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { thisProcess } from '../../src/app/system.ts'
import { listUndelivered } from '../../src/history/sql/outbox.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { temporaryDatabasePaths } from '../history/database-fixture.ts'
import { Machines } from '../history/processes.ts'
import { deliverTickets } from './deliver-tickets.ts'
import { aMessage, anExplainedEvent } from './samples.ts'
import { openGitHub, openJira, type SimulatedTicket } from './simulated-tracker.ts'

const newFile = temporaryDatabasePaths()
const user = 'me@example.com'

const trackers = { github_issue: () => openGitHub(), jira: () => openJira({ user }) } as const
type TrackerType = keyof typeof trackers

/** Two violations that open, change, end and come back. */
const story = (
  [
    ['trigger', 1, 'violation.opened'],
    ['update', 1, 'violation.changed'],
    ['trigger', 2, 'violation.opened'],
    ['resolve', 1, 'violation.resolved'],
    ['trigger', 1, 'violation.reopened'],
    ['resolve', 2, 'violation.resolved'],
  ] as const
).map(([action, number, type], at) => {
  const incident = { action, key: `hookdrift-${number}` }
  return aMessage(`msg_${at}`, { events: [anExplainedEvent(number, { type })], incident })
})

const createdAt = '2026-11-21T03:00:00.000Z'
const write = (history: ReturnType<typeof openSqliteHistory>) =>
  history.enqueue(
    story.map((message) => ({ id: message.id, channel: 'desk', run: 7, body: JSON.stringify(message) })),
    createdAt,
  )

/** What a person sees. */
const shown = (tickets: readonly SimulatedTicket[]) =>
  tickets.map(({ title, text, labels, comments, isClosed }) => ({ title, text, labels, comments, isClosed }))

/** How many requests the story takes, and what it leaves. */
async function deliverUncut(type: TrackerType) {
  await using tracker = await trackers[type]()
  const history = openSqliteHistory(newFile(), new Machines().process(1))
  await write(history)
  await deliverTickets(history, { type, url: tracker.url, now: () => Date.parse(createdAt) })
  await history.close()
  expect(tracker.tickets.map(({ isClosed, comments }) => [isClosed, comments.length])).toEqual([
    [false, 3],
    [true, 1],
  ])
  return { requests: tracker.got.length, left: shown(tracker.tickets) }
}

/** The story with a kill at a request, after the tracker carried it out or before. */
async function deliverCut(type: TrackerType, number: number, when: 'before' | 'after') {
  await using tracker = await trackers[type]()
  const machines = new Machines()
  const file = newFile()
  const killed = machines.process(1)
  const cut = Promise.withResolvers<void>()
  tracker.faults((_, at) => {
    if (at !== number) return undefined
    cut.resolve()
    return when === 'before' ? 'never' : 'carried out, never answered'
  })
  const history = openSqliteHistory(file, killed)
  await write(history)
  void deliverTickets(history, { type, url: tracker.url, now: killed.now })
  await cut.promise
  killed.kill()
  tracker.faults(() => undefined)
  const next = machines.process(2)
  const reopened = openSqliteHistory(file, next)
  const deliver = () => deliverTickets(reopened, { type, url: tracker.url, now: next.now })
  await deliver()
  // A creation without an answer is searched for once the tracker surely lists it.
  await machines.pass(120)
  await deliver()
  expect(await listUndelivered(reopened)).toEqual([])
  await reopened.close()
  return shown(tracker.tickets)
}

describe.each(Object.keys(trackers) as TrackerType[])('a delivery to %s', (type) => {
  it('that is killed before or after any of its requests doubles and loses nothing', async () => {
    const { requests, left } = await deliverUncut(type)
    expect(requests).toBeGreaterThan(15)
    for (let number = 1; number <= requests; number++) {
      for (const when of ['before', 'after'] as const) {
        expect([number, when, await deliverCut(type, number, when)]).toEqual([number, when, left])
      }
    }
  })

  it('that SIGKILL ends doubles and loses nothing', async () => {
    const { requests, left } = await deliverUncut(type)
    for (const part of [0.1, 0.35, 0.6, 0.9]) {
      await using tracker = await trackers[type]()
      const file = newFile()
      const history = openSqliteHistory(file, thisProcess)
      await write(history)
      await history.close()
      const start = (aheadS: number) =>
        spawn(
          process.execPath,
          ['--no-warnings', 'test/notify/deliver-tickets.ts', file, type, tracker.url, `${aheadS}`],
          {
            stdio: 'inherit',
          },
        )
      const first = start(0)
      tracker.faults((_, at) => {
        if (at !== Math.ceil(part * requests)) return undefined
        first.kill('SIGKILL')
        return 'carried out, never answered'
      })
      expect((await once(first, 'exit'))[1]).toBe('SIGKILL')
      tracker.faults(() => undefined)
      expect(await once(start(1000), 'exit')).toEqual([0, null])
      expect([part, shown(tracker.tickets)]).toEqual([part, left])
    }
  })
})
