import { messageOf } from '../model/errors.ts'
import { networkFailure } from '../service/network-failure.ts'
import type { ProxyVariables } from '../service/proxy-for.ts'
import { createTransport } from '../service/transport.ts'
import { accepted, type Outcome, refused } from './message.ts'

interface PostRequest {
  /** A secret. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Posts JSON. Any 2xx accepts the message; redirects are not followed, and only the status is read. */
export async function post(
  { url, headers, body }: PostRequest,
  env: ProxyVariables,
  signal: AbortSignal,
): Promise<Outcome> {
  const { pathname, search } = new URL(url)
  try {
    signal.throwIfAborted()
    // The signal limits the whole exchange.
    const limits = { connectTimeoutMs: 10_000, pageTimeoutMs: 10_000 }
    const transport = createTransport({ url, ca: undefined, connections: 1, limits }, env)
    try {
      const head = { 'content-type': 'application/json', 'user-agent': 'hookdrift', ...headers }
      const answer = await transport.send({ method: 'POST', path: pathname + search, headers: head, body }, signal)
      answer.discard()
      return outcomeOf(answer.status)
    } finally {
      await transport.close()
    }
  } catch (error) {
    if (signal.aborted) return refused('no answer in time')
    return refused(describe(error))
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return accepted
  if (status === 410) return { ok: false, error: 'answered 410: it is gone', isGone: true }
  if (status >= 300 && status < 400) return refused(`answered ${status}: redirects are not followed`)
  return refused(`answered ${status}`)
}

function describe(error: unknown): string {
  // About the environment's proxy; it does not contain the value.
  if (error instanceof Error && error.name === 'AuditError') return messageOf(error)
  return networkFailure(error).what
}
