import { Webhook } from 'standardwebhooks'
import { assert, describe, expect, it } from 'vitest'
import { sendToWebhook } from '../../src/notify/channels/webhook.ts'
import { testMessage } from '../../src/notify/compose-messages.ts'
import { aMessage, anEvent, hostile } from './samples.ts'
import { openReceiver } from './webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(24, 'not-a-real-key').toString('base64')}`
const signal = () => AbortSignal.timeout(5_000)
const now = () => Date.now()
const headersOf = (headers: object) => ({ ...headers })

describe('a webhook', () => {
  it.each([secret, secret.replace('whsec_', '')])(
    'is signed so that an independent receiver verifies it (%#)',
    async (key) => {
      await using receiver = await openReceiver()
      const message = aMessage('msg_1', { events: hostile.map((text, at) => anEvent(at, { text, name: text })) })
      const send = sendToWebhook({ url: `${receiver.url}/in?k=1`, secret: key }, {}, now)
      expect(await send(message, signal())).toEqual({ ok: true })
      const [got] = receiver.got
      assert(got, 'nothing came')
      expect(got.path).toBe('/in?k=1')
      expect(got.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_1' })
      const verified = new Webhook(secret).verify(got.body, headersOf(got.headers))
      expect(verified).toEqual({ type: 'hookdrift.notification', timestamp: message.created_at, data: message })
    },
  )

  it('is rejected by that receiver when one byte or the secret differs', async () => {
    await using receiver = await openReceiver()
    await sendToWebhook({ url: receiver.url, secret }, {}, now)(aMessage(), signal())
    const [got] = receiver.got
    assert(got, 'nothing came')
    const headers = headersOf(got.headers)
    expect(() => new Webhook(secret).verify(`${got.body} `, headers)).toThrow()
    expect(() => new Webhook(secret).verify(got.body, { ...headers, 'webhook-id': 'msg_2' })).toThrow()
    const other = `whsec_${Buffer.alloc(24, 'another').toString('base64')}`
    expect(() => new Webhook(other).verify(got.body, headers)).toThrow()
  })

  it('carries the time of the attempt, and the same id and body each time', async () => {
    await using receiver = await openReceiver()
    let at = Date.parse('2026-11-21T03:00:00Z')
    const send = sendToWebhook({ url: receiver.url, secret }, {}, () => at)
    await send(aMessage(), signal())
    at += 3_600_000
    await send(aMessage(), signal())
    const [first, second] = receiver.got
    expect(Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp'])).toBe(3600)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
  })

  it('marks a test as a test', async () => {
    await using receiver = await openReceiver()
    await sendToWebhook(
      { url: receiver.url, secret },
      {},
      now,
    )(testMessage('hook', '2026-11-21T03:00:00.000Z'), signal())
    expect(JSON.parse(receiver.got[0]?.body ?? '')).toMatchObject({ type: 'hookdrift.test', data: { events: [] } })
  })

  it.each([
    [500, { ok: false, error: 'answered 500' }],
    [404, { ok: false, error: 'answered 404' }],
    [410, { ok: false, error: 'answered 410: it is gone', isGone: true }],
    [302, { ok: false, error: 'answered 302: redirects are not followed' }],
    [201, { ok: true }],
  ])('that is answered with %i is handled as such', async (status, outcome) => {
    await using receiver = await openReceiver()
    await using elsewhere = await openReceiver()
    receiver.answers(() => ({ status, headers: { location: elsewhere.url }, body: 'x'.repeat(1_000_000) }))
    expect(await sendToWebhook({ url: receiver.url, secret }, {}, now)(aMessage(), signal())).toEqual(outcome)
    expect(elsewhere.got).toEqual([])
  })

  it('that is never answered ends with its time-out', async () => {
    await using receiver = await openReceiver(() => undefined)
    const stop = new AbortController()
    const sent = sendToWebhook({ url: receiver.url, secret }, {}, now)(aMessage(), stop.signal)
    await expect.poll(() => receiver.got.length).toBe(1)
    stop.abort()
    expect(await sent).toEqual({ ok: false, error: 'no answer in time' })
  })

  it('reports a failure without its address or proxy', async () => {
    const url = 'http://127.0.0.1:9/not-a-real-key'
    expect(await sendToWebhook({ url, secret }, {}, now)(aMessage(), signal())).toEqual({
      ok: false,
      error: 'connection refused',
    })
    const env = { HTTP_PROXY: 'gopher://me:not-a-real-key@proxy' }
    const outcome = await sendToWebhook({ url, secret }, env, now)(aMessage(), signal())
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify(outcome)).not.toContain('not-a-real-key')
  })

  it('goes past a proxy where NO_PROXY has the network of its address, and nowhere by one that is not understood', async () => {
    await using receiver = await openReceiver()
    await using proxy = await openReceiver()
    const send = (NO_PROXY: string) =>
      sendToWebhook({ url: receiver.url, secret }, { HTTP_PROXY: proxy.url, NO_PROXY }, now)(aMessage(), signal())
    expect(await send('10.0.0.0/8,127.0.0.0/8')).toEqual({ ok: true })
    expect(await send('127.0.0.0/33')).toEqual({
      ok: false,
      error: expect.stringMatching(/^NO_PROXY has an entry that is not understood: "127\.0\.0\.0\/33"/),
    })
    expect([receiver.got.length, proxy.got]).toEqual([1, []])
  })
})
