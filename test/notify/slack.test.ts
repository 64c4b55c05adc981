import { describe, expect, it } from 'vitest'
import { sendToSlack, slackCode } from '../../src/notify/channels/slack.ts'
import { aMessage, anEvent, hostile } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

async function textOf(message = aMessage()): Promise<string> {
  await using receiver = await openReceiver()
  expect(await sendToSlack({ url: receiver.url }, {})(message, AbortSignal.timeout(5_000))).toEqual({ ok: true })
  const body = JSON.parse(receiver.got[0]?.body ?? '')
  expect(body).toMatchObject({ parse: 'none', link_names: false, unfurl_links: false, unfurl_media: false })
  return body.text
}

describe('a message to Slack', () => {
  it('says what happened, then how to list all of it', async () => {
    const message = aMessage('msg_1', { events: [anEvent(1)], more: 212 })
    expect(await textOf(message)).toBe(
      [
        '*hookdrift run 7: 1 opened*',
        '1 open violation (1 high); no drift. Exit code 1.',
        '• opened high endpoint/url-not-https in acme/payments `endpoint "name 1" 01E1: delivers over plain http`',
        'and 212 more: hookdrift report --run 7',
        '_msg_1_',
      ].join('\n'),
    )
  })

  it.each(hostile)('has no active markup from a name: %j', async (name) => {
    const text = await textOf(aMessage('msg_1', { events: [anEvent(1, { name, text: name, uid: name })] }))
    // Slack's own marks are written with < and >; nothing of ours is.
    expect(text).not.toMatch(/[<>]/)
    expect(text.split('\n')).toHaveLength(5)
    const [line = ''] = text.split('\n').filter((each) => each.startsWith('•'))
    // Text of a service is inside of one pair of backticks that ends the line.
    expect(line).toMatch(/^[^`]*`[^`]*`$/)
    expect(line).not.toMatch(/@\w|:\/\//)
    expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
  })

  it('escapes characters with a meaning', () => {
    expect(slackCode('a &lt; <b>')).toBe('`a &amp;lt; &lt;b&gt;`')
  })

  it('shortens long text', async () => {
    const text = await textOf(aMessage('msg_1', { events: [anEvent(1, { text: 'x'.repeat(100_000) })] }))
    expect(text.length).toBeLessThan(1000)
  })
})
