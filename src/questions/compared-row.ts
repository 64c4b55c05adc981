import { z } from 'zod'
import type { CounterpartOptions } from '../gateway/inventory/diff-counterparts.ts'
import type { CommittedRun } from '../history/sql/runs.ts'
import { schemas } from '../model/report.ts'
import { listOf } from '../model/schema.ts'
import type { configuredKinds } from '../rules/engine/rule.ts'
import type { ComparedSide, Matching, SidedResource } from './compared-side.ts'

const relations = ['modified', 'only_in_a', 'only_in_b', 'ambiguous', 'unknown', 'same_secret'] as const
/** How a resource compares with its counterpart; what is equal has no row. */
export type Relation = (typeof relations)[number]

export const comparedRow = z.object({
  project: schemas.project.describe('The project of the resource: A, unless the resource has no counterpart there.'),
  kind: schemas.kind,
  uid: schemas.uid,
  other_uid: z
    .string()
    .nullable()
    .describe('The uid of its counterpart in B, or of a resource of B with the same secret; null where there is none.'),
  name: schemas.name,
  change: z.enum(relations),
  reason: z.string().nullable().describe('Why it is ambiguous or unknown, or which resource has the same secret.'),
  fields: listOf(schemas.fieldChange).describe(
    '`before` in A, `after` in B. For `same_secret`: where the secret is, and its seal.',
  ),
})
export type ComparedRow = z.infer<typeof comparedRow>

/** A field that one side does not show, or a reference whose counterpart is not known. */
export const uncomparedField = z.object({ kind: schemas.kind, path: schemas.pointer, resources: schemas.count })
export type UncomparedField = z.infer<typeof uncomparedField>

/** Why it cannot be said of a kind that a project lacks a resource. */
export const comparisonGap = z.object({ project: schemas.project, kind: schemas.kind, reason: z.string() })
export type ComparisonGap = z.infer<typeof comparisonGap>

export interface CompareQuery extends CounterpartOptions {
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
  members: Pick<ComparedRow, 'change'> & Partial<ComparedRow>,
): ComparedRow {
  const alone = {
    project: project.name,
    kind,
    uid,
    other_uid: null,
    name,
    change: members.change,
    reason: null,
    fields: [],
  }
  return { ...alone, ...members }
}
