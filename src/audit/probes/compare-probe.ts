import type { StagedChange } from '../../history/records.ts'
import { diffAttributes } from '../../inventory/diff-attributes.ts'
import type { Resource } from '../../model/resource.ts'
import type { KnownProbe } from './name-probes.ts'

/** What says of a probe that it is the same: a person who edits the policy makes no drift. */
const samePayload = ['payload_digest', 'type', 'function', 'target_kind', 'target_uid'] as const

/** An earlier outcome: the last one, or the one that was approved. */
type Outcome = Pick<KnownProbe, 'attributes' | 'sealKeyId'>

/**
 * Whether a run with this function and payload is known. Digests under another installation key cannot be compared.
 * `attributes`: those of the run, its digests at least.
 */
export function isSameTrial<Known extends Outcome>(
  known: Known | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): known is Known {
  return isSamePayload(known, attributes, sealKeyId) && known.attributes.function_digest === attributes.function_digest
}

/** How the functions of a fleet differ from the last run, on the same payload. */
export function driftOf(known: KnownProbe | undefined, now: Resource, sealKeyId: string): StagedChange[] {
  if (!isSamePayload(known, now.attributes, sealKeyId)) return []
  const { kind, uid, name } = now
  const isCompared = known.attributes.deterministic === true && now.attributes.deterministic === true
  const compared = isCompared ? /^\/(outcome|output|error)(\/|$)/ : /^\/outcome$/
  const fields = diffAttributes('probe', known.attributes, now.attributes, { sealsComparable: true })
  const drifted = fields.filter(({ path }) => compared.test(path))
  return drifted.length === 0 ? [] : [{ kind, uid, name, change: 'modified', fields: drifted }]
}

function isSamePayload<Known extends Outcome>(
  known: Known | undefined,
  attributes: Resource['attributes'],
  sealKeyId: string,
): known is Known {
  return (
    known !== undefined &&
    known.sealKeyId === sealKeyId &&
    samePayload.every((key) => known.attributes[key] === attributes[key])
  )
}
