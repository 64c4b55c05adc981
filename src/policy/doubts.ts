import { describeField } from '../gateway/inventory/malformed.ts'
import { mostGapUids } from '../model/gap.ts'
import { type DoubtCause, type Kind, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'

/** What rules could not evaluate in a project because a field is malformed or not shown: there, no finding proves nothing. */
export type Doubts = Readonly<Record<string, RuleDoubts>>

export interface RuleDoubts {
  /** Resources that the rule could not evaluate. */
  readonly resources: readonly ResourceKey[]
  /** Kinds of which a rule across resources missed some. */
  readonly kinds: readonly Kind[]
  /** Which fields these are, and of how many resources. */
  readonly fields: readonly DoubtedField[]
}

/** A field that a rule could not rely on: it did not evaluate the resources that have it so. */
export interface DoubtedField {
  readonly kind: Kind
  /** Its path without uids: `secrets[].expires_at`. */
  readonly field: string
  /** `seal_key_changed`: a secret was sealed under another installation key, or in another form, before. */
  readonly cause: DoubtCause | 'seal_key_changed'
  readonly resources: number
  /** The first of them. */
  readonly uids: readonly string[]
  /** The first run that saw one of them so, and its start; null where that is not known. */
  readonly since: { readonly run: number; readonly at: string } | null
  /** The waiver or override that could not be applied, where a selector read it. */
  readonly decision?: string | undefined
}

/** A resource with fields that no rule can rely on. */
export interface DoubtedResource extends Pick<Resource, 'kind' | 'uid' | 'unseen' | 'doubts'> {
  /** JSON Pointers of secrets that were sealed under another installation key before. Absent if there are none. */
  readonly resealed?: readonly string[]
}

export interface Doubt {
  /** JSON Pointers of such fields that the rule read. */
  readonly read: Iterable<string>
  /** Whether the resource would count as evaluated without the doubt. */
  readonly counts: boolean
  /** Where a selector of the policy reads them: the waiver or the override, in words. */
  readonly decision?: string
  /** Whether the rule may find something else by that decision: a waiver leaves what it finds. */
  readonly leavesFindings?: boolean
}

export interface GatheredDoubts {
  /** A rule could not evaluate one resource. */
  note(rule: string, resource: DoubtedResource, doubt: Doubt): void
  /** A rule across resources missed some of a kind. */
  blur(rule: string, kind: Kind): void
  /** How many resources of a kind a rule could not evaluate: all, where it missed some of another kind. */
  count(rule: string, kind: Kind): number
  /** All of it, as a plain value. */
  list(): Doubts
}

export function gatherDoubts(): GatheredDoubts {
  const byRule = new Map<string, DoubtsOfRule>()
  const gathered = (rule: string) => {
    const doubtsOfRule: DoubtsOfRule = byRule.get(rule) ?? {
      resources: new Set(),
      seen: new Set(),
      kinds: new Set(),
      counted: {},
      fields: new Map(),
    }
    byRule.set(rule, doubtsOfRule)
    return doubtsOfRule
  }
  return {
    note(rule, resource, { read, counts, decision, leavesFindings = false }) {
      const { resources, seen, counted, fields } = gathered(rule)
      const key = resourceKey(resource)
      const noted = leavesFindings ? `${key} ${decision}` : key
      if (seen.has(noted)) return
      seen.add(noted)
      if (!leavesFindings) resources.add(key)
      if (counts) counted[resource.kind] = (counted[resource.kind] ?? 0) + 1
      for (const { since, ...doubt } of doubtsOf(resource, read)) {
        const key = `${doubt.kind} ${doubt.field} ${doubt.cause} ${decision}`
        const fieldDoubt: CountedDoubt = fields.get(key) ?? { ...doubt, since, decision, resources: 0, uids: [] }
        fields.set(key, fieldDoubt)
        fieldDoubt.resources += 1
        if (fieldDoubt.uids.length < mostGapUids) fieldDoubt.uids.push(resource.uid)
        if (isEarlier(since, fieldDoubt.since)) fieldDoubt.since = since
      }
    },
    blur: (rule, kind) => gathered(rule).kinds.add(kind),
    count(rule, kind) {
      const { kinds = [], counted = {} } = byRule.get(rule) ?? {}
      return [...kinds].every((missed) => missed === kind) ? (counted[kind] ?? 0) : Number.POSITIVE_INFINITY
    },
    list: () =>
      Object.fromEntries(
        [...byRule].map(([rule, { resources, kinds, fields }]) => [
          rule,
          { resources: [...resources], kinds: [...kinds], fields: [...fields.values()] },
        ]),
      ),
  }
}

/** Each field once, however many of its values the resource has. */
function* doubtsOf(
  { kind, unseen = [], resealed = [], doubts }: DoubtedResource,
  read: Iterable<string>,
): Generator<Omit<DoubtedField, 'resources' | 'uids'>> {
  const fields = new Map(Array.from(read, (pointer) => [describeField(kind, pointer).path, pointer]))
  for (const [field, pointer] of fields) {
    const earlier = doubts?.[field]
    const cause = unseen.includes(pointer) ? 'unseen' : resealed.includes(pointer) ? 'seal_key_changed' : 'malformed'
    yield { kind, field, cause, since: earlier === undefined ? null : { run: earlier.run, at: earlier.at } }
  }
}

function isEarlier(a: DoubtedField['since'], b: DoubtedField['since']): boolean {
  return a !== null && (b === null || a.run < b.run)
}

/** As it is counted. */
type CountedDoubt = { -readonly [Member in keyof DoubtedField]: DoubtedField[Member] } & { readonly uids: string[] }

interface DoubtsOfRule {
  readonly resources: Set<ResourceKey>
  /** Those, and what a waiver could not be applied to. */
  readonly seen: Set<string>
  readonly kinds: Set<Kind>
  readonly counted: Partial<Record<Kind, number>>
  /** By kind, field and cause. */
  readonly fields: Map<string, CountedDoubt>
}

export interface RecordedDoubts {
  /** Whether a rule's result for a resource is unreliable. */
  isAbout(subject: { readonly rule: string; readonly kind: Kind; readonly uid: string }): boolean
  /** Whether a rule could not evaluate something. */
  hasAny(rule: string): boolean
}

/** `blurred`: rules across projects that missed resources of a kind in another project. */
export function readDoubts(doubts: Doubts, blurred: ReadonlySet<string> = new Set()): RecordedDoubts {
  const isBlurred = (rule: string) => blurred.has(rule) || (doubts[rule]?.kinds.length ?? 0) > 0
  const resources = new Map(Object.entries(doubts).map(([rule, ofRule]) => [rule, new Set(ofRule.resources)]))
  return {
    isAbout: ({ rule, kind, uid }) => isBlurred(rule) || resources.get(rule)?.has(resourceKey({ kind, uid })) === true,
    hasAny: (rule) => isBlurred(rule) || (resources.get(rule)?.size ?? 0) > 0,
  }
}
