import { hash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Parts, SqlNames } from './parts.ts'
import type { RunRange } from './pruned-runs.ts'

/** The digest of a committed run and, through the link before it, of all earlier ones. */
export function linkOf(previous: string | null, parts: Parts): string {
  return hash('sha256', canonicalJson(['hookdrift.chain/1', previous, parts]))
}

/** The digest in a checkpoint, of what it carries. */
export function carriedDigestOf(parts: Parts): string {
  return hash('sha256', canonicalJson(['hookdrift.carried/1', parts]))
}

export interface Checkpoint {
  /** ISO 8601, UTC. */
  readonly madeAt: string
  readonly toolVersion: string
  /** The retention options. */
  readonly options: Readonly<Record<string, number | string>>
  /** First and last of each range of pruned runs. */
  readonly runs: readonly RunRange[]
}

/** Statements that attribute what was written between two runs to the run that is being committed. */
export function attributionsToRun({ schema, number }: SqlNames): string[] {
  const signed = (name: string, column: string) =>
    `UPDATE ${schema}${name} SET ${column} = coalesce(${column}, ${number}),
       revoked_in = CASE WHEN revoked_at IS NULL THEN revoked_in ELSE coalesce(revoked_in, ${number}) END
     WHERE ${column} IS NULL OR (revoked_at IS NOT NULL AND revoked_in IS NULL)`
  return [
    `UPDATE ${schema}checkpoint SET run = ${number} WHERE run IS NULL`,
    signed('approval', 'approved_in'),
    signed('acceptance', 'accepted_in'),
  ]
}
