import type { ProjectRef } from '../model/resource.ts'
import type { LocatedFact } from '../rules/engine/rule.ts'
import type { FactSettings, FleetFacts } from './fleet-facts.ts'

/** A fact, with the settings of its resource. */
export type SharedFact = LocatedFact & FactSettings

/**
 * Facts of several resources with the same seal, by rule: two or more in each group. The order of projects and of their
 * resources is kept.
 */
export function groupSharedFacts(
  projects: readonly { readonly project: ProjectRef; readonly facts: readonly FleetFacts[] }[],
): ReadonlyMap<string, readonly SharedFact[][]> {
  const repeated = findRepeated(projects)
  const groups = new Map<string, Map<string, SharedFact[]>>()
  for (const { project, facts: ofProject } of projects) {
    for (const { kind, uid, name, facts, settings = usual } of ofProject) {
      const at = { project, kind, uid, name }
      for (const [rule, ofResource] of Object.entries(facts)) {
        for (const [seal, ...details] of ofResource) {
          if (repeated.get(rule)?.has(seal) !== true) continue
          const ofRule = groups.get(rule) ?? new Map<string, SharedFact[]>()
          groups.set(rule, ofRule)
          const alike = ofRule.get(seal) ?? []
          ofRule.set(seal, alike)
          alike.push({ at, details, ...settings })
        }
      }
    }
  }
  return new Map([...groups].map(([rule, bySeal]) => [rule, [...bySeal.values()]]))
}

const usual: FactSettings = { override: '', waivers: [] }

/** The seals that occur more than once, by rule. Nearly every secret is used once: no more is made of it. */
function findRepeated(
  projects: readonly { readonly facts: readonly FleetFacts[] }[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const seen = new Map<string, Set<string>>()
  const repeated = new Map<string, Set<string>>()
  for (const { facts: ofProject } of projects) {
    for (const { facts } of ofProject) {
      for (const [rule, ofResource] of Object.entries(facts)) {
        const ofRule = seen.get(rule) ?? new Set()
        seen.set(rule, ofRule)
        for (const [seal] of ofResource) {
          if (ofRule.has(seal)) repeated.set(rule, (repeated.get(rule) ?? new Set()).add(seal))
          else ofRule.add(seal)
        }
      }
    }
  }
  return repeated
}
