import type { EvaluationStats } from '../model/evaluation.ts'
import type { Doubts } from './doubts.ts'
import type { FleetFacts } from './fleet-facts.ts'

/** What the evaluation of a project leaves for the end of a run. It is plain JSON, and holds no secret value. */
export interface EvaluationOutcome extends Pick<EvaluationStats, 'resources' | 'fewer'> {
  /** Rules that could not judge here, and why: their silence means nothing. */
  readonly failures: Readonly<Record<string, string>>
  readonly doubts: Doubts
  /** Places, in the policy's list, of waivers that a finding needed. */
  readonly usedWaivers: readonly number[]
  readonly facts: FleetFacts
}

/** That of a project of which nothing is kept. */
export const nothingEvaluated: EvaluationOutcome = {
  resources: {},
  fewer: {},
  failures: {},
  doubts: {},
  usedWaivers: [],
  facts: { rules: [], resources: [] },
}
