import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sendToPagerDuty } from '../../src/notify/channels/pagerduty.ts'
import { composeWorkerNotification, testMessage } from '../../src/notify/compose-messages.ts'
import { workerEvent } from '../../src/notify/find-events.ts'
import { type Message, readMessage } from '../../src/notify/message.ts'
import { anyCharacter } from '../any-character.ts'
import { faultsOfPagerDuty } from './published-forms.ts'
import { aCause, aMessage, anEvent, anExplainedEvent, hostile } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

const routing_key = 'notarealkey'.padEnd(32, '0')
const trigger = { action: 'trigger', key: 'hookdrift-1' } as const

async function posted(...messages: readonly Message[]) {
  await using receiver = await openReceiver(() => ({ status: 202 }))
  const send = sendToPagerDuty({ routing_key, url: receiver.url }, {})
  for (const message of messages) expect(await send(message, AbortSignal.timeout(5_000))).toEqual({ ok: true })
  for (const { body, path } of receiver.got) {
    expect([path, faultsOfPagerDuty(body)]).toEqual(['/v2/enqueue', []])
  }
  return receiver.got.map(({ body }) => JSON.parse(body))
}

describe('an event to PagerDuty', () => {
  it('triggers the alert of a violation', async () => {
    const message = aMessage('msg_1', {
      events: [anExplainedEvent(1)],
      report_url: 'https://reports.example/run-7.html',
      incident: trigger,
      verdict: null,
    })
    expect(await posted(message)).toEqual([
      {
        routing_key,
        event_action: 'trigger',
        dedup_key: 'hookdrift-1',
        payload: {
          summary: 'HIGH acme/payments: 1 high opened (run 7)',
          source: 'acme/payments',
          severity: 'error',
          timestamp: '2026-11-21T03:00:00.000Z',
          component: 'endpoint 01E1',
          group: 'acme/payments',
          class: 'endpoint/url-not-https',
          custom_details: {
            what: [
              'Opened, high: Endpoint delivers over plain http, endpoint "name 1" in acme/payments, owner "tenant-06"',
              'delivers over plain http',
              'Open in the gateway: https://convoy.example/projects/01P/endpoints/01E1, Show in the report: https://reports.example/run-7.html#v-1',
              'Fix: Set `url` to an https address. Run hookdrift rules endpoint/url-not-https',
              'Full report: hookdrift report --run 7',
              'Open the report: https://reports.example/run-7.html',
            ].join('\n'),
          },
        },
        client: 'hookdrift',
        client_url: 'https://reports.example/run-7.html',
        links: [
          { href: 'https://convoy.example/projects/01P/endpoints/01E1', text: 'Open in the gateway' },
          { href: 'https://reports.example/run-7.html#v-1', text: 'Show in the report' },
          { href: 'https://reports.example/run-7.html', text: 'Open the report' },
        ],
      },
    ])
  })

  it.each([
    ['critical', 'critical'],
    ['high', 'error'],
    ['medium', 'warning'],
    ['low', 'info'],
    ['info', 'info'],
  ] as const)('of severity %s is %s', async (severity, expected) => {
    const [event] = await posted(aMessage('msg_1', { severity, incident: trigger }))
    expect(event.payload.severity).toBe(expected)
  })

  it('resolves by the key alone', async () => {
    const message = aMessage('msg_1', { events: [], incident: { action: 'resolve', key: 'hookdrift-1' } })
    expect(await posted(message)).toEqual([{ routing_key, event_action: 'resolve', dedup_key: 'hookdrift-1' }])
  })

  it('of a digest names the worst and counts the rest', async () => {
    const rules = [{ rule: 'endpoint/url-not-https', severity: 'high', events: 60 }] as const
    const events = Array.from({ length: 10 }, (_, at) => anEvent(at))
    const [event] = await posted(aMessage('msg_1', { events, more: 50, storm: 'mass', rules, incident: trigger }))
    const { what } = event.payload.custom_details
    expect(what).toContain('\n60 × endpoint/url-not-https (high)\n')
    expect(what).toContain('\nand 50 more: hookdrift report --run 7')
    expect(what.match(/^Opened, /gm)).toHaveLength(10)
  })

  it('of thousands of causes names ten and counts the others: a longer event is refused', async () => {
    const causes = Array.from({ length: 3_000 }, (_, number) => aCause({ id: `7-${number}`, text: 'x'.repeat(5000) }))
    const [event] = await posted(aMessage('msg_1', { causes, more: 2_999, storm: 'mass', incident: trigger }))
    expect(event.payload.custom_details.what.match(/^Cause, /gm)).toHaveLength(10)
    expect(event.payload.custom_details.what).toContain('\nand 2990 more causes\n')
  })

  it.each(hostile)('shows no control characters of a service: %j', async (name) => {
    const event = anExplainedEvent(1, { name, text: name, uid: name, owner: name, title: name, path: name })
    const [sent] = await posted(aMessage('msg_1', { events: [event], incident: trigger }))
    JSON.stringify(sent, (_, value) => {
      if (typeof value === 'string') expect(value.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
      return value
    })
  })

  it('keeps the published form and limits with any texts', async () => {
    const long = fc.string({ unit: anyCharacter, maxLength: 5_000 })
    const named = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 5_000 })
    const event = fc
      .record({ name: long, uid: long, text: long, owner: long, title: named, remediation: long, project: named })
      .map((texts) => anExplainedEvent(1, texts))
    const message = fc
      .record({ events: fc.array(event, { minLength: 1, maxLength: 10 }), more: fc.nat(1) })
      .map((more) => aMessage('msg_1', { ...more, incident: trigger }))
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
        await posted(...messages)
      }),
      { numRuns: 20 },
    )
  })

  it('of a failed worker and of its recovery have one key', async () => {
    const channel = { name: 'duty', type: 'pagerduty', routing_key, url: 'https://events.pagerduty.com' } as const
    const at = '2026-11-21T03:00:00.000Z'
    const messages = (['worker.failed', 'worker.failed', 'worker.recovered'] as const).flatMap((type, number) =>
      composeWorkerNotification([channel], workerEvent(type, `text ${number}`, at), at).map(({ body }) =>
        readMessage(body),
      ),
    )
    const events = await posted(...messages)
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'trigger', 'resolve'])
    expect(new Set(events.map(({ dedup_key }) => dedup_key)).size).toBe(1)
    expect(events[0].payload).toMatchObject({
      summary: 'CRITICAL: Failed: text 0',
      severity: 'critical',
      source: 'hookdrift',
    })
  })

  it('of a test leaves nothing open', async () => {
    const events = await posted(testMessage('duty', '2026-11-21T03:00:00.000Z'))
    expect(events.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve'])
    expect(events[0].dedup_key).toBe(events[1].dedup_key)
    expect(events[0].payload.severity).toBe('info')
  })

  it('is refused without quoting the answer', async () => {
    await using receiver = await openReceiver(() => ({ status: 400, body: routing_key }))
    const send = sendToPagerDuty({ routing_key, url: `${receiver.url}/v2/enqueue` }, {})
    const outcome = await send(aMessage('msg_1', { incident: trigger }), AbortSignal.timeout(5_000))
    expect(outcome).toEqual({ ok: false, error: 'answered 400', isAboutMessage: true })
    expect(receiver.got.map(({ path }) => path)).toEqual(['/v2/enqueue'])
  })
})
