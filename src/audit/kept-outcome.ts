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

/**
 * The bytes of an outcome, in parts: the length of a JSON text, the text, and the facts of resources. Facts of a large
 * project take tens of megabytes, and as a text in JSON they would be copied several times.
 */
export function encodeOutcome({ evaluation, ...rest }: KeptOutcome): readonly (Buffer | string)[] {
  const { resources, ...facts } = evaluation.facts
  const header = Buffer.from(JSON.stringify({ ...rest, evaluation: { ...evaluation, facts } }))
  const length = Buffer.alloc(4)
  length.writeUInt32LE(header.length)
  return [length, header, resources]
}

export function decodeOutcome(bytes: Buffer): KeptOutcome {
  const end = 4 + bytes.readUInt32LE(0)
  // Hookdrift wrote it.
  const { evaluation, ...rest } = JSON.parse(bytes.toString('utf8', 4, end)) as KeptOutcome
  return {
    ...rest,
    evaluation: { ...evaluation, facts: { ...evaluation.facts, resources: bytes.toString('utf8', end) } },
  }
}
