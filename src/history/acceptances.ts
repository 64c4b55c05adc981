import type { Kind, ProjectRef } from '../model/resource.ts'
import type { Signature } from './approvals.ts'

/** What says that a project is gone. A person who accepts it says that it may stay gone. */
export const vanishedRule = 'project/vanished'

/** Violations that people accept. Acceptances are never deleted. */
export interface Acceptances {
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

/** A violation that a person accepts with the value that it was found in; who, when and why. */
export interface NewAcceptance extends Signature {
  readonly project: ProjectRef
  readonly fingerprint: string
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
  readonly reason: string
  /** Of the accepted value, in which secrets are seals; null: the finding has none, and is accepted as it is. */
  readonly valueDigest: string | null
}

export interface Acceptance extends NewAcceptance {
  readonly id: number
  /** The run that was committed after it, which was the first to follow it; null until there is one. */
  readonly acceptedIn: number | null
  readonly revoked: Signature | undefined
  /** Why a run ended it, and when that began (ISO 8601, UTC). */
  readonly ended: { readonly by: AcceptanceEnding; readonly at: string } | undefined
}

/**
 * Why a run ends an acceptance: another value has the same problem; the problem was gone meanwhile; so was the resource.
 */
export type AcceptanceEnding = 'value_changed' | 'restored' | 'removed'

/** An acceptance in a list. `name`: of its resource, as the violation last had it; empty where the history lost that. */
export interface ListedAcceptance extends Acceptance {
  readonly name: string
}

/** An acceptance as a run leaves it. `endings`: of the run, by id; `at`: when it began. */
export function endedBy(
  acceptance: Acceptance,
  endings: ReadonlyMap<number, AcceptanceEnding>,
  at: string,
): Acceptance {
  const by = endings.get(acceptance.id)
  return by === undefined ? acceptance : { ...acceptance, ended: { by, at } }
}

/** Whether an acceptance holds still: no person revoked it, and no run ended it. */
export function isInForce({ revoked, ended }: Pick<Acceptance, 'revoked' | 'ended'>): boolean {
  return revoked === undefined && ended === undefined
}
