import { isSeal } from '../gateway/inventory/sealer.ts'
import { isReadable, type Kind, type ProjectRef, type Resource } from '../model/resource.ts'
import type { BoundRule, FleetFact, LocatedFact, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import type { WaiverIndexes } from './findings.ts'
import type { ActiveRule } from './policy.ts'
import type { OverrideKey } from './rule-sets.ts'
import { trackReads } from './watch-reads.ts'

/** What rules across projects keep of a project's resources, by the id of the rule and in the order of walking. */
export type FleetFacts = Readonly<Record<string, readonly GatheredFact[]>>

/** The seal of a secret, and what a rule wants to know of who shares it. */
interface GatheredFact {
  readonly owner: FactOwner
  readonly fact: FleetFact
}

interface FactOwner extends Pick<Resource, 'kind' | 'uid' | 'name'> {
  /** Absent where no override and no waiver match the resource. */
  readonly settings?: FactSettings
}

/** The settings of a resource. */
export interface FactSettings {
  readonly override: OverrideKey
  /** Waivers that cover findings of such rules about it. */
  readonly waivers: WaiverIndexes
  /** Rules of which a waiver or an override depends on what is unknown of it. */
  readonly tentative: readonly string[]
}

/** What rules across projects keep of one resource, without its settings. */
type RuleFacts = readonly (readonly [rule: string, facts: readonly GatheredFact[]])[]

interface FleetRule {
  readonly rule: Rule
  readonly bound: Extract<BoundRule, { scope: 'fleet' }>
}

/** Gathers what the rules across projects keep of the resources of one project. */
export class FleetFactGatherer {
  readonly #byKind: ReadonlyMap<Kind, readonly FleetRule[]>
  readonly #doubts: GatheredDoubts
  readonly #failed: (rule: Rule, error: unknown) => void
  readonly #gathered: Record<string, GatheredFact[]> = {}

  /** `failed`: called with a rule that threw. */
  constructor(rules: readonly ActiveRule[], doubts: GatheredDoubts, failed: (rule: Rule, error: unknown) => void) {
    const fleet = rules.flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
    this.#byKind = byVisitedKind(fleet, ({ bound }) => bound.visits)
    this.#doubts = doubts
    this.#failed = failed
  }

  /** `isEvaluated`: whether a rule applies to it. `settingsOf`: asked for where rules keep anything of the resource. */
  visit(resource: Resource, isEvaluated: (rule: string) => boolean, settingsOf: () => FactSettings): void {
    const rules = this.#byKind.get(resource.kind)
    if (rules === undefined) return
    const factsByRule = this.#read(rules, resource, isEvaluated)
    if (factsByRule.length === 0) return
    const settings = settingsOf()
    const { override, waivers, tentative } = settings
    const isUsual = override === '' && waivers.length + tentative.length === 0
    for (const [rule, facts] of factsByRule) {
      let ofRule = this.#gathered[rule]
      if (ofRule === undefined) {
        ofRule = []
        this.#gathered[rule] = ofRule
      }
      for (const owned of facts) {
        ofRule.push(isUsual ? owned : { owner: { ...owned.owner, settings }, fact: owned.fact })
      }
    }
  }

  list(): FleetFacts {
    return this.#gathered
  }

  #read(rules: readonly FleetRule[], resource: Resource, isEvaluated: (rule: string) => boolean): RuleFacts {
    const { kind, uid, name } = resource
    const owner: FactOwner = { kind, uid, name }
    const lasting: (readonly [string, readonly GatheredFact[]])[] = []
    const isWhole = isReadable(resource)
    for (const { rule, bound } of rules) {
      const unreadable = isWhole ? none : unreadableRead(bound, resource)
      if (unreadable.size > 0) {
        // A rule that could not evaluate one resource missed some of its kind.
        const counts = isEvaluated(rule.id) && resource.kind === rule.kind
        this.#doubts.note(rule.id, resource, { read: unreadable, counts })
        this.#doubts.blur(rule.id, resource.kind)
        continue
      }
      try {
        const facts = bound.facts(resource)
        for (const [seal] of facts) if (!isSeal(seal)) throw new Error('a secret without a seal was about to be stored')
        if (facts.length > 0) lasting.push([rule.id, facts.map((fact) => ({ owner, fact }))])
      } catch (error) {
        this.#failed(rule, error)
      }
    }
    return lasting
  }
}

/** Rules by the kinds that they visit, in their order. */
export function byVisitedKind<Visiting>(
  rules: readonly Visiting[],
  visitsOf: (rule: Visiting) => readonly Kind[],
): ReadonlyMap<Kind, readonly Visiting[]> {
  const pairs = rules.flatMap((rule) => [...new Set(visitsOf(rule))].map((kind) => ({ kind, rule })))
  return new Map([...Map.groupBy(pairs, ({ kind }) => kind)].map(([kind, of]) => [kind, of.map(({ rule }) => rule)]))
}

const none: ReadonlySet<string> = new Set()

/** Which malformed or unseen fields of a resource a rule reads: they could affect its findings about others. */
function unreadableRead(bound: FleetRule['bound'], resource: Resource): ReadonlySet<string> {
  const trial = trackReads(resource)
  try {
    bound.facts(trial.seen)
  } catch {
    // Without such a field as its cause, the real run fails too.
  }
  return trial.read
}

/** A fact, with the settings of its resource. */
export type SharedFact = LocatedFact & FactSettings

/**
 * Facts of several resources with the same seal that one rule keeps: two or more in each group. The order of projects
 * and of their resources is kept.
 */
export function groupSharedFacts(
  rule: string,
  projects: readonly { readonly project: ProjectRef; readonly facts: FleetFacts }[],
): readonly (readonly SharedFact[])[] {
  // Nearly every secret is used once: no more is made of it.
  const seen = new Set<string>()
  const repeated = new Set<string>()
  let distinct = 0
  for (const { facts } of projects) {
    for (const { fact } of facts[rule] ?? []) {
      const [seal] = fact
      if (seen.add(seal).size === distinct) repeated.add(seal)
      else distinct += 1
    }
  }
  if (repeated.size === 0) return []
  const groups = new Map<string, SharedFact[]>()
  for (const { project, facts } of projects) {
    for (const { owner, fact } of facts[rule] ?? []) {
      const [seal, ...details] = fact
      if (!repeated.has(seal)) continue
      const { kind, uid, name, settings = usual } = owner
      const shared: SharedFact = { at: { project, kind, uid, name }, details, ...settings }
      const alike = groups.get(seal)
      if (alike === undefined) groups.set(seal, [shared])
      else alike.push(shared)
    }
  }
  return [...groups.values()]
}

const usual: FactSettings = { override: '', waivers: [], tentative: [] }
