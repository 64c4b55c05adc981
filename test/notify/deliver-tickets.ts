import { thisProcess } from '../../src/app/system.ts'
import type { History } from '../../src/history/history.ts'
import { findLastTicketChange, findTicket } from '../../src/history/sql/outbox.ts'
import { openSqliteHistory } from '../../src/history/sqlite/sqlite-history.ts'
import { sendToGitHub } from '../../src/notify/channels/github.ts'
import { sendToJira } from '../../src/notify/channels/jira.ts'
import { deliver } from '../../src/notify/deliver.ts'
import type { TicketMemory } from '../../src/notify/send-tickets.ts'

interface TicketDelivery {
  readonly type: string
  readonly url: string
  readonly now: () => number
}

/** Delivers what waits for the channel `desk` of a history to a simulated tracker. */
export function deliverTickets(history: History, { type, url, now }: TicketDelivery): Promise<void> {
  const target = 'sealed:1'
  const memory: TicketMemory = {
    find: (key) => findTicket(history, 'desk', { key, target }),
    lastChange: () => findLastTicketChange(history, 'desk', target),
    remember: (key, reference, changedAt) => history.rememberTicket('desk', { key, target, reference, changedAt }),
  }
  const [token, rest] = ['not-a-real-token', { env: {}, now, memory }]
  const send =
    type === 'jira'
      ? sendToJira(
          { url, project: 'OPS', user: 'me@example.com', token, issue_type: 'Task', max_characters: 30_000 },
          rest,
        )
      : sendToGitHub({ repository: 'acme/payments', token, api_url: url }, rest)
  const nothing = () => {}
  return deliver(history, {
    receivers: [{ name: 'desk', send, target, isSlow: true }],
    now,
    timeoutMs: 60_000,
    totalMs: 60_000,
    timeoutAfter: () => new AbortController().signal,
    every: () => () => {},
    signal: new AbortController().signal,
    isPatient: false,
    watch: { delivered: nothing, failed: nothing, gone: nothing, gaveUp: nothing },
  })
}

// As a process of its own, which a test kills. Its clock is ahead by some seconds.
if (import.meta.main) {
  const [file = '', type = '', url = '', aheadS = '0'] = process.argv.slice(2)
  const history = openSqliteHistory(file, thisProcess)
  await deliverTickets(history, { type, url, now: () => Date.now() + Number(aheadS) * 1000 })
  await history.close()
}
