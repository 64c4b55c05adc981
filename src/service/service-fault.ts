/**
 * Why a walk of a listing broke off.
 * - `unavailable`: no usable answer within the limits (time-outs, resets, 429, 5xx, transient faults)
 * - `refused`: 401, 403: the key is not accepted (or, for a 401, the service's database is down)
 * - `not-found`: the service says that the project does not exist or not for this key
 * - `not-offered`: 404 or 405, or an answer that is not JSON: the service has no such operation
 * - `invalid`: an answer that breaks the contract and proves nothing
 * - `foreign`: items of another project: the key belongs to that one
 * - `stopped`: this run was stopped
 */
export type FaultKind = 'unavailable' | 'refused' | 'not-found' | 'not-offered' | 'invalid' | 'foreign' | 'stopped'

/** A walk that could not be finished. The message is one line for the report, without key or body. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault'
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.kind = kind
  }
}
