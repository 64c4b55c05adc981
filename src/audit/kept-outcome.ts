import type { EvaluationOutcome } from '../policy/evaluation-outcome.ts'
import type { Statuses } from './project-scan.ts'

/** What the evaluation of a project left, and what it follows from. */
export interface KeptOutcome {
  readonly evaluation: EvaluationOutcome
  /** Of the versions that were collected, and their order. */
  readonly versions: string
  readonly statuses: Statuses
  /** From when until when rules across resources find the same, in milliseconds since the epoch; null: without end. */
  readonly at: number
  readonly until: number | null
}

export function encodeOutcome(outcome: KeptOutcome): Buffer {
  return Buffer.from(JSON.stringify(outcome))
}

export function decodeOutcome(bytes: Buffer): KeptOutcome {
  // Hookdrift wrote it.
  return JSON.parse(bytes.toString()) as KeptOutcome
}
