import type { JsonObject } from '../../model/json.ts'
import { resourceKey } from '../../model/keys.ts'
import type { ProbeTarget } from './find-targets.ts'

/** The last outcome of a probe, as the history holds it. */
export interface KnownProbe {
  /** Of its version. */
  readonly id: number
  readonly uid: string
  readonly attributes: JsonObject
  /** Names the installation key that sealed its digests. */
  readonly sealKeyId: string
}

export interface NamedTarget extends ProbeTarget {
  /** The uid of the probe's outcome. */
  readonly outcomeUid: string
  /** The last outcome of the same probe on the same target. */
  readonly known: KnownProbe | undefined
}

/**
 * Gives each outcome its uid: the probe's name, or `name@TARGET` where several targets match. An outcome keeps
 * its name, so that a second match, or a partial scan, renames none; the name of one that ended is free again.
 */
export function nameProbes(
  targets: readonly ProbeTarget[],
  known: readonly KnownProbe[],
  ended: ReadonlySet<KnownProbe>,
): NamedTarget[] {
  const current = known.filter((probe) => !ended.has(probe))
  const byTarget = new Map(current.map((probe) => [keyOf(probe.attributes), probe]))
  const taken = new Set(current.map(({ uid }) => uid))
  return [...Map.groupBy(targets, ({ probe }) => probe.name)].flatMap(([name, ofProbe]) =>
    ofProbe.map((target): NamedTarget => {
      const same = byTarget.get(`${name} ${resourceKey(target)}`)
      const own = ofProbe.length === 1 && !taken.has(name) ? name : `${name}@${target.uid}`
      return { ...target, outcomeUid: same?.uid ?? own, known: same }
    }),
  )
}

function keyOf({ probe, target_kind, target_uid }: JsonObject): string {
  return `${probe} ${target_kind} ${target_uid}`
}
