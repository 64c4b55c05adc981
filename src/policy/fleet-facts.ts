import { isSeal } from '../inventory/sealer.ts'
import { isReadable, type Resource } from '../model/resource.ts'
import type { BoundRule, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import { type FoundSeal, SealPacker, shortenSeal } from './packed-seals.ts'
import type { ActiveRule } from './policy.ts'
import { trackReads } from './watch-reads.ts'

/**
 * What rules across projects keep of a project's resources: which seal occurs where. Hardly any occurs twice, so what
 * else a rule wants to know is asked again of the few that do, when the run ends (`shared-facts.ts`).
 */
export interface FleetFacts {
  /** Ids; seals refer to a rule by its place here. */
  readonly rules: readonly string[]
  /** With the places of their resources (`packed-seals.ts`). */
  readonly seals: string
}

/** Seals of resources that the same rules read before. */
export type KnownFacts = WeakMap<Resource, readonly FoundSeal[]>

interface Gathering {
  readonly known: KnownFacts | undefined
  readonly doubts: GatheredDoubts
  readonly failed: (rule: Rule, error: unknown) => void
}

type FleetRule = Extract<BoundRule, { scope: 'fleet' }>

export function gatherFleetFacts(rules: readonly ActiveRule[], { known, doubts, failed }: Gathering) {
  const fleet = rules.flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
  const packer = new SealPacker()

  /** undefined where the rule failed. */
  const sealsOf = (rule: Rule, bound: FleetRule, resource: Resource): readonly string[] | undefined => {
    try {
      const seals = Array.from(bound.facts(resource), ([seal]) => seal)
      if (!seals.every(isSeal)) throw new Error('a secret without a seal was about to be stored')
      return seals
    } catch (error) {
      failed(rule, error)
      return undefined
    }
  }

  return {
    /** `place`: what the resource is found by at the end of the run. `isEvaluated`: whether a rule applies to it. */
    visit(resource: Resource, place: number, isEvaluated: (rule: string) => boolean): void {
      const before = known?.get(resource)
      if (before !== undefined) {
        for (const seal of before) packer.add(seal, place)
        return
      }
      const found: FoundSeal[] = []
      let isWhole = isReadable(resource)
      for (const [number, { rule, bound }] of fleet.entries()) {
        if (!bound.visits.includes(resource.kind)) continue
        const read = isReadable(resource) ? none : unreadableRead(bound, resource)
        if (read.size > 0) {
          // A rule that could not evaluate one resource missed some of its kind.
          doubts.note(rule.id, resource, { read, counts: isEvaluated(rule.id) && resource.kind === rule.kind })
          doubts.blur(rule.id, resource.kind)
          continue
        }
        const seals = sealsOf(rule, bound, resource)
        if (seals === undefined) isWhole = false
        else for (const seal of seals) found.push({ rule: number, short: shortenSeal(seal) })
      }
      for (const seal of found) packer.add(seal, place)
      if (isWhole) known?.set(resource, found)
    },
    list(): FleetFacts {
      return { rules: fleet.map(({ rule }) => rule.id), seals: packer.pack() }
    },
  }
}

const none: ReadonlySet<string> = new Set()

/** Which malformed or unseen fields of a resource a rule reads: they could affect its findings about others. */
function unreadableRead(bound: FleetRule, resource: Resource): ReadonlySet<string> {
  const trial = trackReads(resource)
  try {
    for (const _ of bound.facts(trial.seen));
  } catch {
    // Without such a field as its cause, the real run fails too.
  }
  return trial.read
}
