import { type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Kind } from '../model/resource.ts'

/** What rules could not evaluate in a project because a field is malformed: there, no finding proves nothing. */
export type Doubts = Readonly<Record<string, RuleDoubts>>

export interface RuleDoubts {
  /** Resources that the rule could not evaluate. */
  readonly resources: readonly ResourceKey[]
  /** Kinds of which a rule across resources missed some. */
  readonly kinds: readonly Kind[]
}

export interface GatheredDoubts {
  /** A rule could not evaluate one resource. `counts`: without the doubt, it would count as evaluated. */
  note(rule: string, resource: { readonly kind: Kind; readonly uid: string }, counts: boolean): void
  /** A rule across resources missed some of a kind. */
  blur(rule: string, kind: Kind): void
  /** Whether a rule across resources saw all of a kind, as far as fields could be read. */
  isClear(rule: string, kind: Kind): boolean
  /** How many resources of a kind a rule could not evaluate. */
  count(rule: string, kind: Kind): number
  /** All of it, as a plain value. */
  list(): Doubts
}

export function gatherDoubts(): GatheredDoubts {
  const byRule = new Map<string, RuleGathered>()
  const gathered = (rule: string) => {
    const known = byRule.get(rule) ?? { resources: new Set(), kinds: new Set(), counted: {} }
    byRule.set(rule, known)
    return known
  }
  return {
    note(rule, resource, counts) {
      const { resources, counted } = gathered(rule)
      const key = resourceKey(resource)
      if (counts && !resources.has(key)) counted[resource.kind] = (counted[resource.kind] ?? 0) + 1
      resources.add(key)
    },
    blur: (rule, kind) => gathered(rule).kinds.add(kind),
    isClear: (rule, kind) => byRule.get(rule)?.kinds.has(kind) !== true,
    count: (rule, kind) => byRule.get(rule)?.counted[kind] ?? 0,
    list: () =>
      Object.fromEntries(
        [...byRule].map(([rule, { resources, kinds }]) => [rule, { resources: [...resources], kinds: [...kinds] }]),
      ),
  }
}

interface RuleGathered {
  readonly resources: Set<ResourceKey>
  readonly kinds: Set<Kind>
  readonly counted: Partial<Record<Kind, number>>
}

export interface KnownDoubts {
  /** Whether a rule's result for a resource is unreliable. */
  isAbout(subject: { readonly rule: string; readonly kind: Kind; readonly uid: string }): boolean
  /** Whether a rule could not evaluate something. */
  hasAny(rule: string): boolean
}

/** `blurred`: rules across projects that missed resources of a kind in another project. */
export function readDoubts(doubts: Doubts, blurred: ReadonlySet<string> = new Set()): KnownDoubts {
  const isBlurred = (rule: string) => blurred.has(rule) || (doubts[rule]?.kinds.length ?? 0) > 0
  const resources = new Map(Object.entries(doubts).map(([rule, ofRule]) => [rule, new Set(ofRule.resources)]))
  return {
    isAbout: ({ rule, kind, uid }) => isBlurred(rule) || resources.get(rule)?.has(resourceKey({ kind, uid })) === true,
    hasAny: (rule) => isBlurred(rule) || (resources.get(rule)?.size ?? 0) > 0,
  }
}
