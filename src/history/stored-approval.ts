import type { JsonObject } from '../model/json.ts'
import type { Kind } from '../model/resource.ts'
import type { Approval, ApprovedResource, ScopeByKind, Signature } from './approvals.ts'

/** An approval as a backend reads it. */
export interface StoredApproval extends Signature {
  readonly id: number
  readonly service: string
  readonly uid: string
  readonly project: string
  readonly run: number | null
  readonly scopes: string
  readonly note: string
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export function toApproval(row: StoredApproval): Approval {
  const { id, service, uid, project, run, scopes, note, at, by, revokedAt, revokedBy } = row
  return {
    id,
    project: { name: project, service, uid },
    run: run ?? undefined,
    // Hookdrift wrote it.
    scopes: JSON.parse(scopes) as ScopeByKind,
    note,
    at,
    by,
    revoked: revokedAt === null ? undefined : { at: revokedAt, by: revokedBy ?? '' },
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
