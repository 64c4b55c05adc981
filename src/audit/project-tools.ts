import type { ScanDraft } from '../history/history.ts'
import type { Sealer } from '../inventory/sealer.ts'
import { normaliserVersion } from '../inventory/wire-schema.ts'
import type { Clock } from '../model/clock.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import type { ProjectTools } from './audit-project.ts'
import type { Marking } from './open-marks-of.ts'
import type { AuditedProject, OnTimed, PageRead } from './project-scan.ts'

/** What the audit of a project depends on, besides the project itself: the same in every process of a run. */
export interface ProjectTerms {
  readonly policy: Policy
  readonly configurationDigest: string
  /** Whether the policy's probes run. Default: yes. */
  readonly runsProbes?: boolean
  /** Whether a person said that all that is missing is gone. */
  readonly acceptsRemovals: boolean
  /** Whether what earlier runs evaluated is recognised. Default: yes. */
  readonly usesMarks?: boolean
}

interface ToolParts {
  readonly draft: ScanDraft
  readonly sealer: Sealer
  readonly clock: Clock
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  readonly signal: AbortSignal
  readonly toolVersion: string
  readonly onPage: (project: AuditedProject, page: PageRead) => void
  readonly onTimed?: OnTimed | undefined
}

export function projectTools(terms: ProjectTerms, { toolVersion, ...parts }: ToolParts): ProjectTools {
  const { policy, runsProbes = true, acceptsRemovals } = terms
  return {
    ...parts,
    ...{ probes: policy.probes, ignored: policy.ignore, runsProbes, acceptsRemovals },
    marking: terms.usesMarks === false ? undefined : markingOf(terms, { ...parts, toolVersion }),
  }
}

/** undefined where every item must be read: without a key, and for rules across resources that read what is not stored. */
function markingOf(
  { policy, configurationDigest, runsProbes = true }: ProjectTerms,
  { sealer, toolVersion, now }: Pick<ToolParts, 'sealer' | 'toolVersion' | 'now'>,
): Marking | undefined {
  const isStored = namedRules(policy).every(
    ({ rule: { scope, unkept } }) => scope === 'resource' || unkept === undefined,
  )
  const key = isStored ? sealer.deriveKey?.('marks') : undefined
  if (key === undefined) return undefined
  const waiversInForce = policy.waivers.flatMap(({ until }, place) => (now < until ? [place] : []))
  const run = [toolVersion, normaliserVersion, sealer.keyId, policy.digest, configurationDigest, runsProbes]
  return { key, terms: [...run, waiversInForce] }
}
