import type { Event, Message, MessageCause } from '../../src/notify/message.ts'

export function anEvent(number: number, other: Partial<Event> = {}): Event {
  return {
    id: `evt_${number}`,
    type: 'violation.opened',
    severity: 'high',
    project: 'acme/payments',
    rule: 'endpoint/url-not-https',
    kind: 'endpoint',
    uid: `01E${number}`,
    name: `name ${number}`,
    path: '/url',
    fingerprint: `${number}`,
    text: 'delivers over plain http',
    ...other,
  }
}

export function aMessage(id = 'msg_1', other: Partial<Message> = {}): Message {
  return {
    schema: 'hookdrift.notification/1',
    id,
    created_at: '2026-11-21T03:00:00.000Z',
    run: { number: 7, started_at: '2026-11-21T02:59:00.000Z', finished_at: '2026-11-21T03:00:00.000Z' },
    verdict: { exit_code: 1, text: '1 open violation (1 high); no drift.' },
    title: 'HIGH acme/payments: 1 high opened (run 7)',
    severity: 'high',
    project: 'acme/payments',
    storm: null,
    counts: { 'violation.opened': 1 },
    rules: [],
    events: [anEvent(1)],
    more: 0,
    command: 'hookdrift report --run 7',
    ...other,
  }
}

/** An event with all that a reader needs next. */
export function anExplainedEvent(number: number, other: Partial<Event> = {}): Event {
  return anEvent(number, {
    owner: 'tenant-06',
    title: 'Endpoint delivers over plain http',
    remediation: 'Set `url` to an https address.',
    command: 'hookdrift rules endpoint/url-not-https',
    ui_url: `https://convoy.example/projects/01P/endpoints/01E${number}`,
    report_url: `https://reports.example/run-7.html#v-${number}`,
    ...other,
  })
}

export function aCause(other: Partial<MessageCause> = {}): MessageCause {
  return {
    id: '7-f01c4302',
    severity: 'high',
    text: '/authentication was wiped from 36 endpoints of acme/payments, 2 owners',
    rules: [{ rule: 'drift/authentication-lost', severity: 'high', violations: 36 }],
    resources: 36,
    named: [
      { name: 'checkout-007', owner: 'tenant-06', texts: ['authentication removed (was an API key in `X-Api-Key`)'] },
    ],
    owners: ['tenant-06', 'tenant-07'],
    command: 'hookdrift restore --cause 7-f01c4302',
    ...other,
  }
}

/** What acts in one reader or another. */
export const hostile = [
  '<!channel> <@U1> <https://evil.example|click> @here @channel',
  'https://evil.example/x ](https://evil.example) ![x](https://evil.example)',
  '`code` *bold* _it_ ~no~ &amp; &lt;!here&gt;',
  'line\r\nBcc: all@evil.example\r\n\r\nbody \u2028 \u202e \u0000 \u001b[31m',
] as const
