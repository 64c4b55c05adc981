import type { Ending } from '../model/ending.ts'
import type { ProjectEvaluation } from '../model/evaluation.ts'
import { type Kind, type Listing, listings, type ProjectRef, type ResourceKey } from '../model/resource.ts'
import { type EvaluationOutcome, nothingEvaluated } from '../policy/conclude-fleet-rules.ts'
import type { AuditedProject } from './audited-project.ts'
import { filterText } from './listing-filters.ts'
import { isWholeUnder, type Statuses } from './project-scan.ts'

/**
 * What a project leaves for the end of a run. It is plain JSON and all that the end knows of the project, so it does
 * not matter which process scanned it.
 */
export interface ProjectOutcome
  extends Pick<
    ProjectEvaluation,
    'labels' | 'configured_at' | 'ui_url' | 'not_compared' | 'approved_at' | 'release' | 'settings_at' | 'windows'
  > {
  readonly project: ProjectRef
  readonly statuses: Statuses
  /** Listings that a filter narrowed: what they did not show may be there. */
  readonly narrowed: readonly Listing[]
  /** Resources that still exist and that nothing showed. */
  readonly unobserved: readonly ResourceKey[]
  readonly removed: readonly ResourceKey[]
  /** How many changes the policy leaves out of drift, by the path in the policy. */
  readonly ignored: Readonly<Record<string, number>>
  /** Violations that end with any scan, by key, and why. */
  readonly endings: Readonly<Record<string, Ending>>
  /** Keys of violations that nothing decides: their origin could not be compared. */
  readonly undecided: readonly string[]
  /** What could not be tested: what only a probe can say of it is unknown. */
  readonly untested: readonly ResourceKey[]
  /** Functions that a probe of the policy is about, with these probes. */
  readonly dueProbes: readonly ResourceKey[]
  /** Functions that are still there and that the policy no longer tests, with the probes that did. */
  readonly unprobed: readonly ResourceKey[]
  /** Names of the probes that are about something here. */
  readonly probed: readonly string[]
  /** How the addresses of http sources begin, each once; null: of some, that is not known. */
  readonly origins: readonly (string | null)[]
  /** Rules of which a violation could not be checked. */
  readonly unknownRules: readonly string[]
  readonly evaluation: EvaluationOutcome
}

/** What a project leaves of which nothing was scanned, or is kept. */
export const emptyOutcome = {
  unobserved: [],
  removed: [],
  ignored: {},
  endings: {},
  undecided: [],
  untested: [],
  dueProbes: [],
  unprobed: [],
  probed: [],
  origins: [],
  unknownRules: [],
  evaluation: nothingEvaluated,
} as const satisfies Partial<ProjectOutcome>

/** The outcome of a project of which nothing is kept but what its walks proved. */
export function discardedOutcome(project: AuditedProject, statuses: Statuses): ProjectOutcome {
  return { ...configured(project), statuses, ...emptyOutcome }
}

/** What the configuration says of a project, as far as the end of a run asks for it. */
export function configured({ ref, labels, configuredAt, uiUrl, filters }: AuditedProject) {
  const narrowed = listings.filter((listing) => filterText(listing, filters) !== null)
  return {
    project: ref,
    labels,
    configured_at: configuredAt,
    ...(uiUrl === undefined ? {} : { ui_url: uiUrl }),
    narrowed,
  }
}

/** Whether all there is of a kind was seen. */
export function isWhole({ statuses, narrowed }: Pick<ProjectOutcome, 'statuses' | 'narrowed'>, kind: Kind): boolean {
  return isWholeUnder(statuses, (listing) => (narrowed.includes(listing) ? listing : null), kind)
}
