import type { EvaluationStats } from '../model/evaluation.ts'
import type { Doubts } from './doubts.ts'
import type { FleetFacts } from './fleet-facts.ts'

/** What the end of a run needs of a project's evaluation. Plain JSON, without secret values. */
export interface EvaluationOutcome extends Pick<EvaluationStats, 'resources' | 'evaluated_by_rule' | 'rows_unread'> {
  /** Reasons of rules that could not evaluate here: without a finding they prove nothing. */
  readonly failures: Readonly<Record<string, string>>
  readonly doubts: Doubts
  /** Indexes, in the policy's list, of waivers that match a finding. */
  readonly usedWaivers: readonly number[]
  readonly facts: FleetFacts
}

/** The outcome of a discarded project. */
export const nothingEvaluated: EvaluationOutcome = {
  resources: {},
  evaluated_by_rule: {},
  failures: {},
  doubts: {},
  usedWaivers: [],
  facts: {},
}
