import { isSeal } from '../inventory/sealer.ts'
import { isReadable, type Kind, type Resource } from '../model/resource.ts'
import type { BoundRule, FleetFact, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import type { ActiveRule } from './policy.ts'
import type { OverrideKey } from './rule-sets.ts'
import type { WaiverPlaces } from './waiving.ts'
import { trackReads } from './watch-reads.ts'

/** What rules across projects keep of a resource: the seals of its secrets, and what they want to know of who shares one. */
export interface FleetFacts extends Pick<Resource, 'kind' | 'uid' | 'name'> {
  /** By the id of the rule. */
  readonly facts: RuleFacts
  /** Absent where no override and no waiver match the resource. */
  readonly settings?: FactSettings
}

type RuleFacts = Readonly<Record<string, readonly FleetFact[]>>

/** The settings of a resource. */
export interface FactSettings {
  readonly override: OverrideKey
  /** Waivers that cover findings of such rules about it. */
  readonly waivers: WaiverPlaces
}

/** Facts of resources that the same rules read before. */
export type KnownFacts = WeakMap<Resource, RuleFacts>

type FleetRule = Extract<BoundRule, { scope: 'fleet' }>

/** `failed`: called with a rule that threw. */
export function gatherFleetFacts(
  rules: readonly ActiveRule[],
  known: KnownFacts | undefined,
  doubts: GatheredDoubts,
  failed: (rule: Rule, error: unknown) => void,
) {
  const fleet = rules.flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
  const ofKind = new Map<Kind, typeof fleet>()
  const visiting = (kind: Kind) => {
    const those = ofKind.get(kind) ?? fleet.filter(({ bound }) => bound.visits.includes(kind))
    ofKind.set(kind, those)
    return those
  }
  const gathered: FleetFacts[] = []

  /** undefined where the rule failed. */
  const factsOf = (rule: Rule, bound: FleetRule, resource: Resource): readonly FleetFact[] | undefined => {
    try {
      const facts = bound.facts(resource)
      if (!facts.every(([seal]) => isSeal(seal))) throw new Error('a secret without a seal was about to be stored')
      return facts
    } catch (error) {
      failed(rule, error)
      return undefined
    }
  }

  /** `isEvaluated`: whether a rule applies to it. */
  const read = (resource: Resource, isEvaluated: (rule: string) => boolean): RuleFacts => {
    const before = known?.get(resource)
    if (before !== undefined) return before
    const found: Record<string, readonly FleetFact[]> = {}
    let isWhole = isReadable(resource)
    for (const { rule, bound } of visiting(resource.kind)) {
      const unreadable = isReadable(resource) ? none : unreadableRead(bound, resource)
      if (unreadable.size > 0) {
        // A rule that could not evaluate one resource missed some of its kind.
        doubts.note(rule.id, resource, {
          read: unreadable,
          counts: isEvaluated(rule.id) && resource.kind === rule.kind,
        })
        doubts.blur(rule.id, resource.kind)
        continue
      }
      const facts = factsOf(rule, bound, resource)
      if (facts === undefined) isWhole = false
      else if (facts.length > 0) found[rule.id] = facts
    }
    if (isWhole) known?.set(resource, found)
    return found
  }

  return {
    /** `settingsOf`: asked for where rules keep anything of the resource. */
    visit(resource: Resource, isEvaluated: (rule: string) => boolean, settingsOf: () => FactSettings): void {
      const facts = read(resource, isEvaluated)
      if (Object.keys(facts).length === 0) return
      const { kind, uid, name } = resource
      const settings = settingsOf()
      const isUsual = settings.override === '' && settings.waivers.length === 0
      gathered.push({ kind, uid, name, facts, ...(isUsual ? {} : { settings }) })
    },
    list: (): readonly FleetFacts[] => gathered,
  }
}

const none: ReadonlySet<string> = new Set()

/** Which malformed or unseen fields of a resource a rule reads: they could affect its findings about others. */
function unreadableRead(bound: FleetRule, resource: Resource): ReadonlySet<string> {
  const trial = trackReads(resource)
  try {
    bound.facts(trial.seen)
  } catch {
    // Without such a field as its cause, the real run fails too.
  }
  return trial.read
}
