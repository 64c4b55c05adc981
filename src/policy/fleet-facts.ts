import { isSeal } from '../inventory/sealer.ts'
import type { Kind, Resource } from '../model/resource.ts'
import type { BoundRule, FleetFact, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import { type FoundSeal, SealPacker, shortenSeal } from './packed-seals.ts'
import type { ActiveRule } from './policy.ts'
import type { OverrideKey } from './rule-sets.ts'
import type { WaiverPlaces } from './waiving.ts'
import { trackReads } from './watch-reads.ts'

/**
 * What rules across projects keep of a project's resources. A resource is a line of one text, a JSON list: hardly any is
 * read again, and an object for each would take three times the memory. It contains seals, never a secret value.
 */
export interface FleetFacts {
  /** Ids; facts refer to a rule by its place here. */
  readonly rules: readonly string[]
  readonly resources: string
  /** The seals in the texts, so that those which occur once are found without reading any (`packed-seals.ts`). */
  readonly seals: string
}

/** A parsed resource. */
export type PackedResource = readonly [
  Kind,
  uid: string,
  name: string,
  OverrideKey,
  WaiverPlaces,
  ...facts: PackedFact[],
]
type PackedFact = readonly [rule: number, ...FleetFact]

interface FactsOfResource {
  readonly text: string
  /** Their lines are still open. */
  readonly seals: readonly FoundSeal[]
}

/** Facts of resources that the same rules read under the same labels before; undefined where they keep nothing. */
export type KnownFacts = WeakMap<Resource, FactsOfResource | undefined>

interface Gathering {
  readonly known: KnownFacts | undefined
  readonly doubts: GatheredDoubts
  readonly failed: (rule: Rule, error: unknown) => void
}

/** `isEvaluated`: whether a rule applies to the resource. Reads waivers and overrides only where there are facts. */
export function gatherFleetFacts(rules: readonly ActiveRule[], { known, doubts, failed }: Gathering) {
  const fleet = rules.flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
  /** Texts of one line or of several: what was listed is one text, so that a large project is in memory once. */
  let resources: string[] = []
  let lines = 0
  const seals = new SealPacker()

  const keep = (facts: FactsOfResource | undefined) => {
    if (facts === undefined) return
    for (const { rule, short } of facts.seals) seals.add({ rule, short, line: lines })
    resources.push(facts.text)
    lines += 1
  }

  /** undefined where the rule failed. */
  const factsOf = (rule: Rule, bound: Extract<BoundRule, { scope: 'fleet' }>, resource: Resource) => {
    try {
      const facts: FleetFact[] = [...bound.facts(resource)]
      if (facts.some(([seal]) => !isSeal(seal))) throw new Error('a secret without a seal was about to be stored')
      return facts
    } catch (error) {
      failed(rule, error)
      return undefined
    }
  }

  return {
    visit(resource: Resource, isEvaluated: (rule: string) => boolean, describe: () => Described): void {
      if (known?.has(resource)) {
        keep(known.get(resource))
        return
      }
      const facts: PackedFact[] = []
      let isWhole = resource.malformed === undefined
      for (const [number, { rule, bound }] of fleet.entries()) {
        if (!bound.visits.includes(resource.kind)) continue
        if (resource.malformed !== undefined && readsMalformed(bound, resource)) {
          // A rule that could not evaluate one resource missed some of its kind.
          doubts.note(rule.id, resource, isEvaluated(rule.id) && resource.kind === rule.kind)
          doubts.blur(rule.id, resource.kind)
          continue
        }
        const found = factsOf(rule, bound, resource)
        if (found === undefined) isWhole = false
        else for (const fact of found) facts.push([number, ...fact])
      }
      const kept = facts.length === 0 ? undefined : pack(resource, describe(), facts)
      keep(kept)
      if (isWhole) known?.set(resource, kept)
    },
    list(): FleetFacts {
      const text = resources.join('\n')
      resources = lines === 0 ? [] : [text]
      return { rules: fleet.map(({ rule }) => rule.id), resources: text, seals: seals.pack() }
    },
  }
}

interface Described {
  readonly override: OverrideKey
  readonly waivers: WaiverPlaces
}

function pack(
  { kind, uid, name }: Resource,
  { override, waivers }: Described,
  facts: readonly PackedFact[],
): FactsOfResource {
  const packed: PackedResource = [kind, uid, name, override, waivers, ...facts]
  const seals = facts.map(([rule, seal]) => ({ rule, short: shortenSeal(seal), line: 0 }))
  return { text: JSON.stringify(packed), seals }
}

/** Whether a rule reads a malformed field of a resource: the field could affect its findings about others. */
function readsMalformed(bound: Extract<BoundRule, { scope: 'fleet' }>, resource: Resource): boolean {
  const trial = trackReads(resource)
  try {
    for (const _ of bound.facts(trial.seen));
  } catch {
    // Without the malformed field as its cause, the real run fails too.
  }
  return trial.hasRead()
}
