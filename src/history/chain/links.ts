import { hash } from 'node:crypto'
import { canonicalJson } from '../../model/canonical-json.ts'
import type { Parts } from './parts.ts'
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
