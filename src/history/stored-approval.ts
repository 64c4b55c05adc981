import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Amendment, Approval, ApprovedResource, ScopeByKind, Signature } from './approvals.ts'

/** Who signed and who revoked something, as a backend reads it. */
export interface StoredSignature {
  readonly at: string
  readonly by: string
  readonly osUser: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
  readonly revokedAs: string | null
}

export function signatureOf(row: StoredSignature): Signature & { readonly revoked: Signature | undefined } {
  const { at, by, osUser, revokedAt, revokedBy, revokedAs } = row
  const revoked =
    revokedAt === null ? undefined : { at: revokedAt, by: revokedBy ?? '', osUser: revokedAs ?? undefined }
  return { at, by, osUser: osUser ?? undefined, revoked }
}

/** An approval as a backend reads it. */
export interface StoredApproval extends StoredSignature {
  readonly id: number
  readonly service: string
  readonly uid: string
  readonly project: string
  readonly run: number | null
  readonly scopes: string
  readonly note: string
  readonly amendments: string | null
}

/** SQL of the columns of an approval `a` of a project `p`. */
export const approvalColumns = `a.id, p.service, p.uid, a.project, a.run, a.scopes, a.note, a.amendments,
  a.approved_at AS at, a.approved_by AS by, a.approved_as AS "osUser", a.revoked_at AS "revokedAt",
  a.revoked_by AS "revokedBy", a.revoked_as AS "revokedAs"`

export function toApproval(row: StoredApproval): Approval {
  const { id, service, uid, project, run, scopes, note, amendments } = row
  return {
    id,
    project: { name: project, service, uid },
    run: run ?? undefined,
    // Hookdrift wrote it.
    scopes: JSON.parse(scopes) as ScopeByKind,
    note,
    amendments: amendments === null ? undefined : (JSON.parse(amendments) as readonly Amendment[]),
    ...signatureOf(row),
  }
}

/** A resource of an approved state as a backend reads it. */
export interface ApprovedRow {
  readonly kind: Kind
  readonly uid: string
  readonly name: string
  readonly body: string
  readonly sealKeyId: string
}

export function toApproved({ body, ...row }: ApprovedRow): ApprovedResource {
  // Hookdrift wrote it as canonical JSON.
  return { ...row, attributes: JSON.parse(body) as JsonObject }
}
