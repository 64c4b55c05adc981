import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sendToTeams } from '../../src/notify/channels/teams.ts'
import { testMessage } from '../../src/notify/compose-messages.ts'
import type { Message } from '../../src/notify/message.ts'
import { anyCharacter } from '../any-character.ts'
import { faultsOfTeams } from './published-forms.ts'
import { aMessage, anEvent, anExplainedEvent, hostile } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

interface Element {
  readonly type: string
  readonly text?: string
  readonly inlines?: readonly { readonly text: string; readonly fontType?: string }[]
}

async function posted(...messages: readonly Message[]) {
  await using receiver = await openReceiver(() => ({ status: 202 }))
  const send = sendToTeams({ url: `${receiver.url}/workflows/not-a-real-key?sig=x` }, {})
  for (const message of messages) expect(await send(message, AbortSignal.timeout(5_000))).toEqual({ ok: true })
  return receiver.got.map(({ body }) => body)
}

async function elementsOf(message: Message): Promise<readonly Element[]> {
  const [body = ''] = await posted(message)
  expect(faultsOfTeams(body)).toEqual([])
  return JSON.parse(body).attachments[0].content.body
}

const lineOf = ({ text, inlines = [] }: Element) => text ?? inlines.map((run) => run.text).join('')

describe('a message to Microsoft Teams', () => {
  it('says what happened to which resource, then where to see it, how to fix it and what to run', async () => {
    const report_url = 'https://reports.example/run-7.html'
    const elements = await elementsOf(aMessage('msg_1', { events: [anExplainedEvent(1)], more: 3, report_url }))
    expect(elements.map(lineOf)).toEqual([
      'HIGH acme/payments: 1 high opened (run 7)',
      'Opened, high: Endpoint delivers over plain http, endpoint "name 1" in acme/payments, owner "tenant-06"',
      'delivers over plain http',
      '[Open in the gateway](https://convoy.example/projects/01P/endpoints/01E1), ' +
        '[Show in the report](https://reports.example/run-7.html#v-1)',
      'Fix: Set `url` to an https address. Run hookdrift rules endpoint/url-not-https',
      '1 open violation (1 high); no drift.',
      'and 3 more: hookdrift report --run 7',
      '[Open the report](https://reports.example/run-7.html)',
    ])
  })

  it.each(hostile)('keeps text of a service away from Markdown: %j', async (name) => {
    const event = anExplainedEvent(1, { name, text: name, uid: name, owner: name, title: name, remediation: name })
    const elements = await elementsOf(
      aMessage('msg_1', { events: [event, anEvent(2, { name: '{{DATE(2027-01-01)}}' })] }),
    )
    for (const element of elements) {
      const line = lineOf(element)
      expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]|\{\{|@\w/u)
      // Blocks of text, which have Markdown, hold our links alone.
      if (element.type === 'TextBlock') expect(line).toMatch(/^(?:\[[A-Z][a-z ]+\]\(https:\/\/[\w./#-]+\)(?:, )?)+$/)
      else expect(line).not.toContain('://')
    }
  })

  it('keeps a parenthesis of an address from ending the link', async () => {
    const events = [anExplainedEvent(1, { ui_url: 'https://convoy.example/a(b)c' })]
    const elements = await elementsOf(aMessage('msg_1', { events }))
    expect(elements.map(lineOf)).toContainEqual(expect.stringContaining('(https://convoy.example/a%28b%29c)'))
  })

  it('fits, in its published form, with any texts', async () => {
    const long = fc.string({ unit: anyCharacter, maxLength: 3_000 })
    const event = fc
      .record({ name: long, uid: long, text: long, owner: long, title: long, remediation: long, project: long })
      .map((texts) => anExplainedEvent(1, texts))
    const title = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3_000 })
    const message = fc
      .record({ events: fc.array(event, { maxLength: 20 }), title })
      .map((more) => aMessage('msg_1', more))
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 5 }), async (messages) => {
        for (const body of await posted(...messages)) expect(faultsOfTeams(body)).toEqual([])
      }),
      { numRuns: 20 },
    )
  })

  it('counts events for which there is no room', async () => {
    const events = Array.from({ length: 20 }, (_, at) =>
      anExplainedEvent(at, { text: 'ä'.repeat(500), rule: `r/${at}` }),
    )
    const lines = (await elementsOf(aMessage('msg_1', { events, more: 10 }))).map(lineOf)
    const shown = lines.filter((line) => line.startsWith('Opened')).length
    expect(shown).toBeGreaterThan(3)
    expect(shown).toBeLessThan(20)
    expect(lines).toContain(`and ${30 - shown} more: hookdrift report --run 7`)
  })

  it('is a card for a test, too', async () => {
    const [line] = (await elementsOf(testMessage('chat', '2026-11-21T03:00:00.000Z'))).map(lineOf)
    expect(line).toBe('hookdrift: test of the channel chat')
  })
})
