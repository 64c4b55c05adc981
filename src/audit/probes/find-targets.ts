import type { JsonObject } from '../../model/json.ts'
import type { Resource } from '../../model/resource.ts'
import { functionPlaces, type Probe } from '../../policy/probe.ts'
import type { AuditedProject } from '../project-scan.ts'

/** A function that a probe is about. */
export interface ProbeTarget {
  readonly probe: Probe
  readonly kind: 'source' | 'subscription'
  readonly uid: string
  readonly name: string
  /** What to run; undefined where its text is not shown and the policy has none. */
  readonly text: string | undefined
}

/** One resource as it passed, and the item that it was made of; a stub's functions are not filled. */
export interface Passing {
  readonly resource: Resource
  readonly item: JsonObject | undefined
}

/**
 * What the probes are about among the resources of a page; what has no function is none of it. The text is taken from the item as it came: what is kept of
 * a function has its secrets sealed and would not run.
 */
export function* findTargets(
  probes: readonly Probe[],
  { ref, labels }: Pick<AuditedProject, 'ref' | 'labels'>,
  passing: Iterable<Passing>,
): Generator<ProbeTarget> {
  for (const { resource, item } of passing) {
    for (const probe of probes) {
      if (!probe.matches(ref, labels, resource)) continue
      const { kind, attribute } = functionPlaces[probe.function]
      const { uid, name } = resource
      const text = textOf(item, attribute, probe.functionText)
      if (text !== null) yield { probe, kind, uid, name, text }
    }
  }
}

/** null: there is no function. */
function textOf(item: JsonObject | undefined, attribute: string, otherwise: string | undefined) {
  const shown = item?.[attribute]
  if (shown === undefined) return otherwise
  return typeof shown === 'string' && shown.trim() !== '' ? shown : null
}
