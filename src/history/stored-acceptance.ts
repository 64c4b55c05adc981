import type { Kind } from '../model/resource.ts'
import type { Acceptance, AcceptanceEnding } from './acceptances.ts'
import { type StoredSignature, signatureOf } from './stored-approval.ts'

/** An acceptance as a backend reads it. */
export interface StoredAcceptance extends StoredSignature {
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
  readonly valueDigest: string | null
  readonly endedAt: string | null
  readonly endedBy: AcceptanceEnding | null
}

/** SQL of the columns of an acceptance `a` of a project `p`. */
export const acceptanceColumns = `a.id, a.project AS name, p.service, p.uid AS "projectUid", a.fingerprint, a.rule, a.kind,
  a.uid, a.path, a.reason, a.value_digest AS "valueDigest", a.accepted_at AS at,
  a.accepted_by AS by, a.accepted_as AS "osUser", a.revoked_at AS "revokedAt", a.revoked_by AS "revokedBy",
  a.revoked_as AS "revokedAs", a.ended_at AS "endedAt", a.ended_by AS "endedBy"`

export function toAcceptance({ name, service, projectUid, endedAt, endedBy, ...row }: StoredAcceptance): Acceptance {
  const { revokedAt: _, revokedBy: __, revokedAs: ___, at: ____, by: _____, osUser: ______, ...facts } = row
  return {
    ...facts,
    ...signatureOf(row),
    project: { name, service, uid: projectUid },
    ended: endedAt === null || endedBy === null ? undefined : { at: endedAt, by: endedBy },
  }
}
