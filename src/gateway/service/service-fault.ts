import { type CoverageCause, type FailureFacts, isInterrupted, writeReason } from '../../model/coverage.ts'

/** Why a walk of a listing broke off: one of the causes that an exchange with a service can show. */
export type FaultKind = Exclude<
  CoverageCause,
  'unseen_fields' | 'contradicted' | 'unproven' | 'suspect_loss' | 'suspect_page' | 'bug'
>

/** Whether the service is not to blame: the run ended the exchange. */
export function isStop(kind: FaultKind): boolean {
  return isInterrupted({ cause: kind }) || kind === 'run_timeout' || kind === 'stopped'
}

/** A walk that could not be finished. The message is one line for the report, without key or body. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault'
  readonly kind: FaultKind
  readonly facts: FailureFacts

  constructor(kind: FaultKind, what: string, exchange: Partial<Pick<FailureFacts, 'url' | 'requestId'>> = {}) {
    const { url = null, requestId = null } = exchange
    const facts = { what, url, urlOrigin: null, key: null, requestId }
    super(writeReason(facts))
    this.kind = kind
    this.facts = facts
  }
}
