import type { Sealer } from '../gateway/inventory/sealer.ts'
import type { ScanDraft } from '../history/history.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Clock } from '../model/time.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { Policy } from '../policy/policy.ts'
import type { AuditedProject, PageRead } from './audited-project.ts'

/** When the settings of a project were written that a run took, by the service's clock; undefined: not known. */
export type LastWritten = (project: ProjectRef, run: number) => Promise<string | undefined>

/** How a run audits its projects: the same in every process that takes part. */
export interface RunOptions {
  readonly policy: Policy
  /** Whether the policy's probes run. */
  readonly runsProbes: boolean
  /** Whether a person said that all that is missing is gone. */
  readonly acceptsRemovals: boolean
}

/** A run under way, as the audit of each of its projects sees it. */
export interface OpenRun extends RunOptions {
  readonly evaluator: PolicyEvaluator
  readonly draft: ScanDraft
  readonly sealer: Sealer
  readonly clock: Clock
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly onStep?: OnStep | undefined
  /** Called for a bug that ended the audit of a project. */
  readonly onBug?: OnBug | undefined
  readonly lastWritten: LastWritten
}

/** Called when a project was audited, when the fleet is concluded from all of them, and when the run is written. */
export type OnStep = (step: 'audited' | 'concluding' | 'writing') => void

export type OnBug = (project: AuditedProject, error: unknown) => void
