import { describe, expect, it } from 'vitest'
import { sendToSlack, slackCode } from '../../src/notify/channels/slack.ts'
import { aCause, aMessage, anEvent, anExplainedEvent, hostile } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

async function textOf(message = aMessage(), max_characters = 40_000): Promise<string> {
  await using receiver = await openReceiver()
  expect(await sendToSlack({ url: receiver.url, max_characters }, {})(message, AbortSignal.timeout(5_000))).toEqual({
    ok: true,
  })
  const body = JSON.parse(receiver.got[0]?.body ?? '')
  expect(body).toMatchObject({ parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false })
  return body.text
}

const links =
  '<https://convoy.example/projects/01P/endpoints/01E1|Open in the gateway>, <https://reports.example/run-7.html#v-1|Show in the report>'

describe('a message to Slack', () => {
  it('says what happened to which resource, then where to see it, how to fix it and what to run', async () => {
    const message = aMessage('msg_1', {
      events: [anExplainedEvent(1), anEvent(2)],
      report_url: 'https://reports.example/run-7.html?a=1&b=2',
    })
    expect(await textOf(message)).toBe(
      [
        '*HIGH* `acme/payments`: 1 high opened (run 7)',
        '• *Opened, high:* Endpoint delivers over plain http, endpoint `"name 1"` in `acme/payments`, owner `"tenant-06"`',
        'delivers over plain http',
        links,
        'Fix: Set `url` to an https address. Run `hookdrift rules endpoint/url-not-https`',
        '• *Opened, high:* `endpoint/url-not-https`, endpoint `"name 2"` in `acme/payments`',
        'delivers over plain http',
        '1 open violation (1 high); no drift.',
        'Full report: `hookdrift report --run 7`',
        '<https://reports.example/run-7.html?a=1&amp;b=2|Open the report>',
      ].join('\n'),
    )
  })

  it('names the project alone where an event is about all of it', async () => {
    const overdue = {
      rule: 'violation/overdue',
      title: 'Violations are overdue',
      kind: 'policy',
      uid: '01P',
      name: '',
    } as const
    const shown = await textOf(aMessage('msg_1', { events: [anEvent(1, overdue)] }))
    expect(shown.split('\n')[1]).toBe('• *Opened, high:* Violations are overdue in `acme/payments`')
  })

  it('has the command of each resource: after the steps of the first event, alone for the next ones', async () => {
    const back = (at: number, other = {}) =>
      anEvent(at, {
        rule: 'drift/url-host-changed',
        title: 'Endpoint host changed',
        text: 'delivers to b.example (was a.example)',
        remediation: "Ask the endpoint's owner.",
        command: `hookdrift restore 01E${at}`,
        ...other,
      })
    const same = {
      remediation: 'Run `hookdrift restore 01E3` first.',
      command: 'hookdrift restore 01E3',
      rule: 'drift/x',
    }
    const shown = await textOf(aMessage('msg_1', { events: [back(1), back(2), back(3, same)] }))
    expect(shown.split('\n').filter((line) => line.startsWith('Fix: '))).toEqual([
      "Fix: Ask the endpoint's owner. To put it back: `hookdrift restore 01E1`",
      'Fix: `hookdrift restore 01E2`',
      'Fix: Run `hookdrift restore 01E3` first.',
    ])
  })

  it('says once why listings were lost and what to do, before all else', async () => {
    const failure = {
      text: 'acme: 429 too many requests; the service says "exceeded rate limit"',
      listings: 19,
      facts: [
        { label: 'url', text: 'hookdrift.yaml:5:10' },
        { label: 'cost', text: '19 listings of 3 projects' },
        { label: 'next', text: 'Run again later; lower `concurrency` if it stays.' },
      ],
    }
    const { kind: _, uid: __, name: ___, path: ____, fingerprint: _____, rule: ______, ...bare } = anEvent(1)
    const unknown = { ...bare, project: null, type: 'rule.unknown' as const, text: 'what 3 rules found there' }
    const shown = await textOf(aMessage('msg_1', { events: [unknown, anEvent(2)], failures: [failure] }))
    expect(shown.split('\n').slice(1, 8)).toEqual([
      '• *Incomplete:* acme: 429 too many requests; the service says `"exceeded rate limit"`',
      'URL: `hookdrift.yaml:5:10`',
      'Cost: 19 listings of 3 projects',
      'Next: Run again later; lower `concurrency` if it stays.',
      '• *Unknown:* what 3 rules found there',
      '• *Opened, high:* `endpoint/url-not-https`, endpoint `"name 2"` in `acme/payments`',
      'delivers over plain http',
    ])
  })

  it('shows as code what is foreign, without the parentheses of the sentence', async () => {
    const events = [anEvent(1, { text: 'delivers to new.example.com (was old.example.com)' })]
    const when = 'Changed between run 6, 2026-11-21 02:45 UTC, and run 7, 03:00 UTC.'
    const in_between = 'In between: deploy 4.4 (ada, 02:50 UTC)'
    const shown = await textOf(aMessage('msg_1', { events, causes: [aCause()], when, in_between }))
    expect(shown).toContain(
      [
        `\n${when} In between: deploy 4.4 (ada, 02:50 UTC)`,
        '• *Cause, high:* `/authentication` was wiped from 36 endpoints of `acme/payments`, 2 owners',
        '36 × `drift/authentication-lost` (high)',
        '`"checkout-007"`, owner `"tenant-06"`: authentication removed (was an API key in `X-Api-Key`)',
        'and 35 more resources',
        'To put it back: `hookdrift restore --cause 7-f01c4302`\n',
      ].join('\n'),
    )
    expect(shown).toContain('\ndelivers to `new.example.com` (was `old.example.com`)\n')
  })

  it('says of a violation that is over what it was', async () => {
    const over = anEvent(1, { type: 'violation.resolved', resolution: 'fixed' })
    const shown = await textOf(aMessage('msg_1', { events: [over, anEvent(2)] }))
    expect(shown.split('\n').slice(1, 5)).toEqual([
      '• *Fixed, high:* `endpoint/url-not-https`, endpoint `"name 1"` in `acme/payments`',
      'Was: delivers over plain http',
      '• *Opened, high:* `endpoint/url-not-https`, endpoint `"name 2"` in `acme/payments`',
      'delivers over plain http',
    ])
  })

  it('says the fix of a rule once, and what it does not show', async () => {
    const text = await textOf(aMessage('msg_1', { events: [anExplainedEvent(1), anExplainedEvent(2)], more: 212 }))
    expect(text.match(/Fix: /g)).toHaveLength(1)
    expect(text).toContain('and 212 more: `hookdrift report --run 7`')
  })

  it('says in the first message of a channel what was open before', async () => {
    const text = await textOf(aMessage('msg_1', { already_open: { critical: 2, low: 1 } }))
    expect(text).toContain(
      '\nFirst message of this channel, or earlier ones failed. Open before it: 2 critical, 1 low. List them: `hookdrift violations --open --unknown`\n',
    )
  })

  it('names a listing, a rule and the worker without a resource', async () => {
    const { kind: _, uid: __, name: ___, path: ____, fingerprint: _____, rule, ...bare } = anEvent(1)
    const events = [
      { ...bare, type: 'coverage.lost' as const, listing: 'endpoints' as const, text: 'the endpoints: failed, 503' },
      { ...bare, ...(rule === undefined ? {} : { rule }), type: 'rule.unknown' as const, text: 'not evaluated' },
      { ...bare, project: null, type: 'worker.failed' as const, text: 'a run ended' },
    ]
    expect((await textOf(aMessage('msg_1', { events }))).split('\n').slice(1, 5)).toEqual([
      '• *Incomplete in `acme/payments`:* the endpoints: failed, 503',
      '• *Unknown, high:* `endpoint/url-not-https` in `acme/payments`',
      'not evaluated',
      '• *Failed:* a run ended',
    ])
  })

  it.each(hostile)('has no active markup from a service: %j', async (name) => {
    const event = anExplainedEvent(1, { name, text: name, uid: name, owner: name, title: name, remediation: name })
    const text = await textOf(aMessage('msg_1', { events: [event] }))
    expect(text.split('\n')).toHaveLength(7)
    const own = text.replace(links, '').split('\n').slice(1, -2)
    for (const line of own) {
      // Text of a service is plain words, or inside of a pair of backticks.
      expect(line.match(/`/g)?.length ?? 0).toSatisfy((marks) => marks % 2 === 0)
      expect(line).not.toMatch(/[<>]|@\w|:\/\/|[\p{Cc}\u2028\u202e]/u)
      expect(line.replace(/`[^`]*`/g, '').replace(/^• \*[A-Z][a-z]+, high:\*/, '')).not.toMatch(/[*_~@&|]/)
    }
  })

  it.each(hostile)('has no active markup from a failure: %j', async (name) => {
    const failures = [{ text: name, listings: 1, facts: [{ label: 'asked', text: name }] }]
    const text = await textOf(aMessage('msg_1', { events: [], failures }))
    for (const line of text.split('\n').slice(1, -2)) {
      expect(line.match(/`/g)?.length ?? 0).toSatisfy((marks) => marks % 2 === 0)
      expect(line).not.toMatch(/[<>]|@\w|:\/\/|[\p{Cc}\u2028\u202e]/u)
      expect(line.replace(/`[^`]*`/g, '').replace('• *Incomplete:*', '')).not.toMatch(/[*_~@&|]/)
    }
  })

  it('escapes characters with a meaning', () => {
    expect(slackCode('a &lt; <b>')).toBe('`a &amp;lt; &lt;b&gt;`')
  })

  it('shortens long text, and drops events rather than being cut by Slack', async () => {
    const one = await textOf(aMessage('msg_1', { events: [anEvent(1, { text: 'x'.repeat(100_000) })] }))
    expect(one.length).toBeLessThan(1000)
    const long = (number: number) => {
      const url = `https://convoy.example/${'x'.repeat(1900)}`
      return anExplainedEvent(number, { text: `!${'x'.repeat(9_000)}`, ui_url: url, report_url: url })
    }
    const text = await textOf(aMessage('msg_1', { events: Array.from({ length: 20 }, (_, at) => long(at)), more: 5 }))
    expect(text.length).toBeLessThanOrEqual(40_000)
    const shown = text.match(/^• /gm)?.length ?? 0
    expect(shown).toBeGreaterThan(5)
    expect(text).toContain(`and ${25 - shown} more: `)
  })

  it.each([1_000, 2_000, 5_000, 16_383])(
    'has at most the %i characters that a compatible service takes',
    async (most) => {
      const named = Array.from({ length: 5 }, (_, at) => ({ name: `name ${at}`, texts: ['y'.repeat(900)] }))
      const causes = Array.from({ length: 10 }, () => aCause({ named, text: `/url of ${'z'.repeat(250)} changed` }))
      const events = Array.from({ length: 40 }, (_, at) => anExplainedEvent(at, { text: `!${'x'.repeat(9_000)}` }))
      const text = await textOf(aMessage('msg_1', { causes, events, in_between: 'n'.repeat(900), more: 2 }), most)
      expect(text.length).toBeLessThanOrEqual(most)
      const shown = text.match(/^• \*Opened/gm)?.length ?? 0
      expect(text).toMatch(/^\*HIGH\* .*\n/)
      expect(text).toContain(`and ${42 - shown} more: \`hookdrift report --run 7\``)
    },
  )
})
