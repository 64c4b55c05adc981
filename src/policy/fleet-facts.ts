import { isSeal } from '../inventory/sealer.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { BoundRule, FindingPlace, FleetFact, LocatedFact, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
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
}

/** A parsed resource. */
type Packed = readonly [Kind, uid: string, name: string, OverrideKey, WaiverPlaces, ...facts: PackedFact[]]
type PackedFact = readonly [rule: number, ...FleetFact]

/** A fact, with the settings of its resource. */
export interface SharedFact extends LocatedFact {
  readonly override: OverrideKey
  readonly waivers: WaiverPlaces
}

/** Texts of resources that the same rules read under the same labels before; undefined where they keep nothing. */
export type KnownFacts = WeakMap<Resource, string | undefined>

interface Gathering {
  readonly known: KnownFacts | undefined
  readonly doubts: GatheredDoubts
  readonly failed: (rule: Rule, error: unknown) => void
}

/** `isEvaluated`: whether a rule applies to the resource. Reads waivers and overrides only where there are facts. */
export function gatherFleetFacts(rules: readonly ActiveRule[], { known, doubts, failed }: Gathering) {
  const fleet = rules.flatMap(({ rule, bound }) => (bound.scope === 'fleet' ? [{ rule, bound }] : []))
  const resources: string[] = []

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
        const text = known.get(resource)
        if (text !== undefined) resources.push(text)
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
      const text = facts.length === 0 ? undefined : pack(resource, describe(), facts)
      if (text !== undefined) resources.push(text)
      if (isWhole) known?.set(resource, text)
    },
    list: (): FleetFacts => ({ rules: fleet.map(({ rule }) => rule.id), resources: resources.join('\n') }),
  }
}

interface Described {
  readonly override: OverrideKey
  readonly waivers: WaiverPlaces
}

function pack({ kind, uid, name }: Resource, { override, waivers }: Described, facts: readonly PackedFact[]): string {
  const packed: Packed = [kind, uid, name, override, waivers, ...facts]
  return JSON.stringify(packed)
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

export interface ProjectFacts {
  readonly project: ProjectRef
  readonly facts: FleetFacts
}

/** Facts of several projects with the same seal, by rule: two or more in each group. The order of projects is kept. */
export function groupSharedFacts(
  projects: readonly ProjectFacts[],
  known?: KnownSeals,
): ReadonlyMap<string, readonly SharedFact[][]> {
  const sealsIn = known === undefined ? findSeals : remember(known, projects)
  const several = findRepeated(projects, sealsIn)
  const groups = new Map<string, Map<string, SharedFact[]>>()
  for (const { project, facts } of projects) {
    for (const text of linesOf(facts)) {
      if (!sealsIn(text).some(({ rule, short }) => several.get(facts.rules[rule] ?? '')?.has(short))) continue
      const [kind, uid, name, override, waivers, ...ofResource] = unpack(text)
      const at: FindingPlace = { project, kind, uid, name }
      for (const [number, seal, ...details] of ofResource) {
        const rule = facts.rules[number] ?? ''
        if (several.get(rule)?.has(shorten(seal)) !== true) continue
        const ofRule = groups.get(rule) ?? new Map<string, SharedFact[]>()
        groups.set(rule, ofRule)
        const alike = ofRule.get(seal) ?? []
        ofRule.set(seal, alike)
        alike.push({ at, details, override, waivers })
      }
    }
  }
  return new Map([...groups].map(([rule, bySeal]) => [rule, [...bySeal.values()].filter((alike) => alike.length > 1)]))
}

/** Seals that occur more than once, as numbers: nearly every secret is used once. Eight bytes each while they are sorted. */
function findRepeated(projects: readonly ProjectFacts[], sealsIn: ReadSeals): ReadonlyMap<string, ReadonlySet<number>> {
  const all = new Map<string, NumberList>()
  for (const { facts } of projects) {
    const lists = facts.rules.map((rule) => {
      const list = all.get(rule) ?? new NumberList()
      all.set(rule, list)
      return list
    })
    for (const text of linesOf(facts)) for (const { rule, short } of sealsIn(text)) lists[rule]?.add(short)
  }
  return new Map([...all].map(([rule, list]) => [rule, list.repeated()]))
}

/** Numbers in one piece of memory. */
class NumberList {
  #numbers = new Float64Array(64)
  #length = 0

  add(number: number): void {
    if (this.#length === this.#numbers.length) {
      const grown = new Float64Array(this.#numbers.length * 2)
      grown.set(this.#numbers)
      this.#numbers = grown
    }
    this.#numbers[this.#length++] = number
  }

  /** Those that were added more than once. */
  repeated(): ReadonlySet<number> {
    const sorted = this.#numbers.subarray(0, this.#length).sort()
    return new Set(sorted.filter((number, at) => number === sorted[at + 1]))
  }
}

function linesOf({ resources }: FleetFacts): readonly string[] {
  return resources === '' ? [] : resources.split('\n')
}

interface FoundSeal {
  readonly rule: number
  readonly short: number
}

type ReadSeals = (text: string) => readonly FoundSeal[]

/** Seals by text, for fleets of which little changes from one conclusion to the next. */
export type KnownSeals = Map<string, readonly FoundSeal[]>

/** Finds the seals in each text once. Forgets all when most of the texts are gone. */
function remember(known: KnownSeals, projects: readonly ProjectFacts[]): ReadSeals {
  const texts = projects.reduce((sum, { facts }) => sum + linesOf(facts).length, 0)
  if (known.size > 2 * texts) known.clear()
  return (text) => {
    const seals = known.get(text) ?? findSeals(text)
    known.set(text, seals)
    return seals
  }
}

/** The seals of a resource with the places of their rules, without parsing it: within its texts every quote is escaped. */
function findSeals(text: string): readonly FoundSeal[] {
  return Array.from(text.matchAll(/\[(\d{1,3}),"(sealed:[0-9a-f]{32})"/g), ([, rule, seal = '']) => {
    return { rule: Number(rule), short: shorten(seal) }
  })
}

/** 52 bits of `sealed:<32 hex digits>`. Grouping the facts separates two seals that share them. */
function shorten(seal: string): number {
  return Number.parseInt(seal.slice(7, 20), 16)
}

function unpack(text: string): Packed {
  // Hookdrift wrote it.
  return JSON.parse(text) as Packed
}
