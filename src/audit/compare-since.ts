import { compareFields } from '../gateway/inventory/compare-fields.ts'
import type { PastVersion } from '../history/stored-body.ts'
import type { JsonObject } from '../model/json.ts'
import type { Kind, Resource } from '../model/resource.ts'
import { leaveOutIgnored } from '../policy/ignored-paths.ts'
import type { ProjectScan } from './project-scan.ts'

interface ComparedScan extends Pick<ProjectScan, 'ignored'> {
  readonly sealer: Pick<ProjectScan['sealer'], 'keyId'>
}

/** What a resource differs in from a past state, in today's normal form, without ignored fields. */
export function compareSince(
  { sealer, ignored }: ComparedScan,
  past: Pick<PastVersion, 'attributes' | 'doubts' | 'sealKeyId'>,
  resource: Resource,
  reform: (kind: Kind, attributes: JsonObject) => JsonObject,
) {
  const { kind, attributes: after } = resource
  const before = reform(kind, past.attributes)
  const { asSeen, unknown, resealed } = compareFields(
    kind,
    { ...past, attributes: before },
    { ...resource, sealKeyId: sealer.keyId },
  )
  return { ...leaveOutIgnored(ignored, { before, after, fields: asSeen }), unknown, resealed, was: before, all: asSeen }
}
