import type { Draft } from '../history/history.ts'
import type { Sealer } from '../inventory/sealer.ts'
import type { Clock } from '../model/clock.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Probe } from '../policy/probe.ts'
import type { AuditedProject, PageRead } from './project-scan.ts'

/** What every project of a run is looked at with. */
export interface ProjectTools {
  readonly draft: Draft
  readonly evaluator: PolicyEvaluator
  readonly sealer: Sealer
  readonly clock: Clock
  /** When the run started, ISO 8601. */
  readonly startedAt: string
  readonly signal: AbortSignal
  /** Those of the policy. */
  readonly probes: readonly Probe[]
  /** Whether they run. */
  readonly runsProbes: boolean
  /** Whether a person said that what is missing is gone. */
  readonly acceptsRemovals: boolean
  readonly onPage: (project: AuditedProject, page: PageRead) => void
}
