import { withoutCredentials } from './foreign-text.ts'
import type { Reply } from './reply.ts'
import { isStop, ServiceFault } from './service-fault.ts'

/** `502 bad gateway after 5 tries, the service says "…"`: one line. */
export function describeFailure(reply: Reply & { ok: false }): string {
  const tries = reply.tries > 1 ? ` after ${reply.tries} tries` : ''
  const budget = reply.isBudgetSpent ? ', no time left for further tries' : ''
  const hint = reply.hint === null ? '' : `: ${reply.hint}`
  const said = reply.serviceMessage === null ? '' : `, the service says "${withoutCredentials(reply.serviceMessage)}"`
  return `${reply.what}${tries}${budget}${hint}${said}`
}

/** The fault of a request without a usable answer; `place` names what was requested, e.g. `page 3`. */
export function faultOf(reply: Reply & { ok: false }, place: string): ServiceFault {
  const { kind, url, requestId } = reply
  // Of a request that the run ended, the address explains nothing.
  return new ServiceFault(
    kind,
    `${place}: ${describeFailure(reply)}`,
    isStop(kind) ? { requestId } : { url, requestId },
  )
}

export function withRequestId(text: string, requestId: string | null): string {
  return requestId === null ? text : `${text} (request id ${requestId})`
}
