import type { Kind, ProjectRef } from '../model/resource.ts'
import type { Signature } from './approvals.ts'

/** Violations that people accept. Acceptances are never deleted. */
export interface Acceptances {
  /** Every acceptance, revoked ones too, oldest first. */
  acceptances(): Promise<readonly Acceptance[]>
  /**
   * Accepts violations, from the next run on.
   * @throws AuditError.busy when a live run owns the lease
   */
  accept(acceptances: readonly NewAcceptance[]): Promise<void>
  /**
   * Revokes acceptances. They stay on record.
   * @throws AuditError.busy when a live run owns the lease
   */
  revokeAcceptances(acceptances: readonly number[], by: Signature): Promise<void>
}

/** A violation that a person accepts, who, when and why. */
export interface NewAcceptance extends Signature {
  readonly project: ProjectRef
  readonly fingerprint: string
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
  readonly reason: string
}

export interface Acceptance extends NewAcceptance {
  readonly id: number
  readonly revoked: Signature | undefined
}
