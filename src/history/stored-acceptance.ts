import type { Kind } from '../model/resource.ts'
import type { Acceptance } from './acceptances.ts'
import type { Signature } from './approvals.ts'

/** An acceptance as a backend reads it. */
export interface StoredAcceptance extends Signature {
  readonly id: number
  readonly name: string
  readonly service: string
  readonly projectUid: string
  readonly fingerprint: string
  readonly rule: string
  readonly kind: Kind
  readonly uid: string
  readonly path: string
  readonly reason: string
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export function toAcceptance({
  name,
  service,
  projectUid,
  revokedAt,
  revokedBy,
  ...row
}: StoredAcceptance): Acceptance {
  return {
    ...row,
    project: { name, service, uid: projectUid },
    revoked: revokedAt === null ? undefined : { at: revokedAt, by: revokedBy ?? '' },
  }
}
