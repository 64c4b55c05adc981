import type { ProjectRef } from '../model/resource.ts'
import type { FindingPlace, LocatedFact } from '../rules/engine/rule.ts'
import type { FleetFacts, PackedResource } from './fleet-facts.ts'
import { eachSeal, shortenSeal } from './packed-seals.ts'
import type { OverrideKey } from './rule-sets.ts'
import type { WaiverPlaces } from './waiving.ts'

export interface ProjectFacts {
  readonly project: ProjectRef
  readonly facts: FleetFacts
}

/** A fact, with the settings of its resource. */
export interface SharedFact extends LocatedFact {
  readonly override: OverrideKey
  readonly waivers: WaiverPlaces
}

/** Facts of several projects with the same seal, by rule: two or more in each group. The order of projects is kept. */
export function groupSharedFacts(projects: readonly ProjectFacts[]): ReadonlyMap<string, readonly SharedFact[][]> {
  const several = findRepeated(projects)
  const groups = new Map<string, Map<string, SharedFact[]>>()
  for (const { project, facts } of projects) {
    const isShared = (rule: number, short: number) => several.get(facts.rules[rule] ?? '')?.has(short) === true
    const wanted = new Set<number>()
    eachSeal(facts.seals, (rule, short, line) => {
      if (isShared(rule, short)) wanted.add(line)
    })
    if (wanted.size === 0) continue
    const lines = facts.resources.split('\n')
    for (const line of wanted) {
      const [kind, uid, name, override, waivers, ...ofResource] = unpack(lines[line] ?? '')
      const at: FindingPlace = { project, kind, uid, name }
      for (const [number, seal, ...details] of ofResource) {
        if (!isShared(number, shortenSeal(seal))) continue
        const rule = facts.rules[number] ?? ''
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
function findRepeated(projects: readonly ProjectFacts[]): ReadonlyMap<string, ReadonlySet<number>> {
  const all = new Map<string, NumberList>()
  for (const { facts } of projects) {
    const lists = facts.rules.map((rule) => {
      const list = all.get(rule) ?? new NumberList()
      all.set(rule, list)
      return list
    })
    eachSeal(facts.seals, (rule, short) => lists[rule]?.add(short))
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

function unpack(text: string): PackedResource {
  // Hookdrift wrote it.
  return JSON.parse(text) as PackedResource
}
