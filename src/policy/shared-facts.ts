import type { ProjectRef, Resource } from '../model/resource.ts'
import type { BoundRule, LocatedFact } from '../rules/engine/rule.ts'
import { type FindCollected, readCollected } from './find-collected.ts'
import type { FleetFacts } from './fleet-facts.ts'
import { eachSeal, shortenSeal } from './packed-seals.ts'
import type { OverrideKey } from './rule-sets.ts'
import type { WaiverPlaces } from './waiving.ts'

export interface ProjectFacts {
  readonly project: ProjectRef
  readonly facts: FleetFacts
}

/** The settings of a resource. */
export interface FactSettings {
  readonly override: OverrideKey
  readonly waivers: WaiverPlaces
}

/** A fact, with the settings of its resource. */
export type SharedFact = LocatedFact & FactSettings

interface Grouping {
  /** By their ids. */
  readonly rules: ReadonlyMap<string, Extract<BoundRule, { scope: 'fleet' }>>
  readonly find: FindCollected
  readonly settingsOf: (project: ProjectRef, resource: Resource) => FactSettings
}

/**
 * Facts of several resources with the same seal, by rule: two or more in each group. The order of projects and of their
 * resources is kept. Asks the rules again for what they want to know of these resources, and reads no others.
 */
export async function groupSharedFacts(
  projects: readonly ProjectFacts[],
  { rules, find, settingsOf }: Grouping,
): Promise<ReadonlyMap<string, readonly SharedFact[][]>> {
  const repeated = findRepeated(projects)
  const groups = new Map<string, Map<string, SharedFact[]>>()

  const take = (project: ProjectRef, resource: Resource, asked: ReadonlySet<string>) => {
    const { kind, uid, name } = resource
    const at = { project, kind, uid, name }
    let settings: FactSettings | undefined
    for (const rule of asked) {
      for (const [seal, ...details] of rules.get(rule)?.facts(resource) ?? []) {
        if (repeated.get(rule)?.has(shortenSeal(seal)) !== true) continue
        settings ??= settingsOf(project, resource)
        const ofRule = groups.get(rule) ?? new Map<string, SharedFact[]>()
        groups.set(rule, ofRule)
        const alike = ofRule.get(seal) ?? []
        ofRule.set(seal, alike)
        alike.push({ at, details, ...settings })
      }
    }
  }

  for (const { project, facts } of projects) {
    const asked = new Map<number, Set<string>>()
    eachSeal(facts.seals, (seal, place) => {
      const rule = facts.rules[seal.rule] ?? ''
      if (repeated.get(rule)?.has(seal.short) !== true) return
      const ofPlace = asked.get(place) ?? new Set()
      asked.set(place, ofPlace.add(rule))
    })
    for await (const some of readCollected(find, project, [...asked.keys()])) {
      for (const { place, resource } of some) take(project, resource, asked.get(place) ?? new Set())
    }
  }
  return new Map([...groups].map(([rule, bySeal]) => [rule, [...bySeal.values()].filter((alike) => alike.length > 1)]))
}

/** Seals that occur more than once, as numbers: nearly every secret is used once. Eight bytes each while they are sorted. */
function findRepeated(projects: readonly ProjectFacts[]): ReadonlyMap<string, ReadonlySet<number>> {
  const all = new Map<string, NumberList>()
  for (const { facts } of projects) {
    const lists = facts.rules.map((rule) => {
      const list = all.get(rule) ?? new NumberList()
      all.set(rule, list)
      return list
    })
    eachSeal(facts.seals, ({ rule, short }) => lists[rule]?.add(short))
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
    const repeated = new Set<number>()
    for (let at = 1; at < sorted.length; at++) if (sorted[at] === sorted[at - 1]) repeated.add(sorted[at] ?? 0)
    return repeated
  }
}
