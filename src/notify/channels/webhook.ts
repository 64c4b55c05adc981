import { createHmac } from 'node:crypto'
import { secretBytes } from '../../config/notify-schema.ts'
import type { ProxyVariables } from '../../gateway/service/proxy-for.ts'
import type { Message, SendMessage } from '../message.ts'
import { post } from '../request.ts'

interface Webhook {
  readonly url: string
  readonly secret: string
}

/** A webhook after Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and a `v1` signature. */
export function sendToWebhook({ url, secret }: Webhook, env: ProxyVariables, now: () => number): SendMessage {
  return (message, signal) => {
    const body = bodyOf(message)
    // Of this attempt: receivers refuse old timestamps, to prevent replays.
    const timestamp = `${Math.floor(now() / 1000)}`
    const headers = {
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${sign(secret, `${message.id}.${timestamp}.${body}`)}`,
    }
    return post({ url, headers, body }, env, signal)
  }
}

function bodyOf(message: Message): string {
  const type = message.id.startsWith('test_') ? 'hookdrift.test' : 'hookdrift.notification'
  return JSON.stringify({ type, timestamp: message.created_at, data: message })
}

function sign(secret: string, text: string): string {
  const key = secretBytes(secret)
  if (key === undefined) throw new Error('a webhook without a secret was let through') // the schema refuses it
  return createHmac('sha256', key).update(text, 'utf8').digest('base64')
}
