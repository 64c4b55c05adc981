import type { CommittedRun } from '../history/sql/runs.ts'
import type { CounterpartOptions } from '../inventory/diff-counterparts.ts'
import type { FieldChange } from '../model/change.ts'
import type { Kind } from '../model/resource.ts'
import type { configuredKinds } from '../rules/engine/rule.ts'
import type { ComparedSide, Matching, SidedResource } from './compared-side.ts'

/** How a resource compares with its counterpart; what is equal has no row. */
export type Relation = 'modified' | 'only_in_a' | 'only_in_b' | 'ambiguous' | 'unknown' | 'same_secret'

export interface ComparedRow {
  /** The project of the resource: A, unless only B has it. */
  readonly project: string
  readonly kind: Kind
  readonly uid: string
  /** The uid of its counterpart in the other project; null where it has none. */
  readonly other_uid: string | null
  readonly name: string
  readonly change: Relation
  /** Why it is so, where the values do not say it. */
  readonly reason: string | null
  /** `before` in A, `after` in B; for `same_secret` where the secret is, and its seal. */
  readonly fields: readonly FieldChange[]
}

/** A field that one side does not show, or a reference whose counterpart is not known. */
export interface UncomparedField {
  readonly kind: Kind
  readonly path: string
  readonly resources: number
}

/** Why it cannot be said of a kind that a project lacks a resource. */
export interface Gap {
  readonly project: string
  readonly kind: Kind
  readonly reason: string
}

export interface CompareQuery extends Omit<CounterpartOptions, 'sealsComparable'> {
  readonly run: CommittedRun
  readonly a: string
  readonly b: string
  readonly matching: Matching
  readonly kind: (typeof configuredKinds)[number] | undefined
  readonly limit: number
}

export function toRow(
  { project }: ComparedSide,
  { kind, uid, name }: SidedResource,
  found: Pick<ComparedRow, 'change'> & Partial<ComparedRow>,
): ComparedRow {
  const alone = {
    project: project.name,
    kind,
    uid,
    other_uid: null,
    name,
    change: found.change,
    reason: null,
    fields: [],
  }
  return { ...alone, ...found }
}
