import type { Policy } from '../policy/policy.ts'
import type { ProjectTools } from './audit-project.ts'

/** What the audit of a project depends on, besides the project itself: the same in every process of a run. */
export interface ProjectTerms {
  readonly policy: Policy
  /** Whether the policy's probes run. Default: yes. */
  readonly runsProbes?: boolean
  /** Whether a person said that all that is missing is gone. */
  readonly acceptsRemovals: boolean
}

type ToolParts = Omit<ProjectTools, 'probes' | 'ignored' | 'runsProbes' | 'acceptsRemovals'>

export function projectTools(
  { policy, runsProbes = true, acceptsRemovals }: ProjectTerms,
  parts: ToolParts,
): ProjectTools {
  return { ...parts, probes: policy.probes, ignored: policy.ignore, runsProbes, acceptsRemovals }
}
