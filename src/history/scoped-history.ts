import type { OpenHistory } from './history.ts'
import type { Visibility } from './visibility.ts'

/**
 * A history as if it had only some projects, for readers who may not know of the others, and who write nothing. What is
 * said of a run as a whole stays: its number, its times, its policy.
 */
export function scopedHistory(history: OpenHistory, visibility: Visibility): OpenHistory {
  return {
    visibility,
    ask: (question) => history.ask(question),
    snapshot: (question) => history.snapshot(question),
    close: () => history.close(),
    ...refusals,
  }
}

async function refuse(): Promise<never> {
  throw new Error('this is not for readers of some projects only')
}

const refusals = {
  approve: refuse,
  revoke: refuse,
  accept: refuse,
  revokeAcceptances: refuse,
  note: refuse,
  enqueue: refuse,
  claim: refuse,
  renew: refuse,
  release: refuse,
  delivered: refuse,
  failed: refuse,
  giveUp: refuse,
  markGone: refuse,
  rememberTicket: refuse,
  dropFinished: refuse,
} satisfies Partial<OpenHistory>
