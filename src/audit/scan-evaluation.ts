import type { JsonObject } from '../model/json.ts'
import type { Kind, Listing, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { PolicyEvaluator } from '../policy/evaluator.ts'
import type { ProjectEvaluator } from '../policy/project-evaluator.ts'
import { compareWithOrigins, type FollowedViolation, type OriginComparison } from './compare-with-origins.ts'
import type { Comparison, ShownResource } from './comparison.ts'
import { dateValues } from './date-values.ts'
import { baselineOf, type ExpectedState } from './expected-state.ts'
import type { ProjectAcceptances } from './project-acceptances.ts'
import { isWhole, type ProjectOutcome } from './project-outcome.ts'
import type { EvaluatedScan } from './project-scan.ts'
import { reconcileProject } from './reconcile-project.ts'
import { writeFindings } from './write-violations.ts'

/** What a scan showed of a project, before rules conclude. */
export type ShownProject = Omit<ProjectOutcome, 'endings' | 'evaluation'>

interface ScanEvaluationOptions {
  readonly evaluator: PolicyEvaluator
  readonly rules: ProjectEvaluator
  readonly comparison: Comparison
  /** Violations that a comparison with an earlier version decides. */
  readonly followed: readonly FollowedViolation[]
  /** What drift rules compare with instead of the last scan; `unread`: nothing is known of it. */
  readonly expected: ExpectedState | 'unread' | undefined
  readonly acceptances: ProjectAcceptances
  /** Brings stored attributes to the form that the scan has. */
  reform(kind: Kind, attributes: JsonObject): JsonObject
  /** Called with a resource of which each followed violation was found again, and nothing else. */
  readonly noteHeld?: ((resource: Resource, until: number) => void) | undefined
}

/**
 * The evaluation of one scan by a policy: takes what it shows page by page, drafts what is found, and decides at its end
 * what becomes of the project's violations. It does not matter whether a service shows it or the history of a past run.
 */
export class ScanEvaluation {
  readonly #scan: EvaluatedScan
  readonly #evaluator: PolicyEvaluator
  readonly #rules: ProjectEvaluator
  readonly #comparison: Comparison
  readonly #origins: OriginComparison
  readonly #expected: ScanEvaluationOptions['expected']
  readonly #acceptances: ProjectAcceptances
  readonly #reform: ScanEvaluationOptions['reform']

  constructor(scan: EvaluatedScan, options: ScanEvaluationOptions) {
    const { evaluator, rules, comparison, followed, expected, acceptances, reform, noteHeld } = options
    const { draft, project, now, sealer, ignored } = scan
    this.#scan = scan
    this.#evaluator = evaluator
    this.#rules = rules
    this.#comparison = comparison
    this.#expected = expected
    this.#acceptances = acceptances
    this.#reform = reform
    this.#origins = compareWithOrigins(followed, {
      now,
      sealKeyId: sealer.keyId,
      ofProject: rules,
      ignored,
      versionsAt: (points) => draft.versionsAt(project, points),
      approvalOf: (resource) =>
        expected !== undefined && expected !== 'unread' && comparison.isApproved(resource)
          ? baselineOf(expected, resource)
          : undefined,
      reform,
      noteHeld,
    })
  }

  /** Evaluates resources of one listing, and drafts what was found in them. */
  async take(listing: Listing, shown: readonly ShownResource[]): Promise<void> {
    const { draft, project } = this.#scan
    await writeFindings(draft, project, this.#acceptances.apply(await this.#evaluate(listing, shown)))
  }

  /** Concludes the rules across the project's resources, and reconciles. `found`: what only the whole scan shows. */
  async conclude(shown: ShownProject, found: readonly Finding[]): Promise<ProjectOutcome> {
    const findings = [...found, ...this.#rules.conclude({ isComplete: (kind) => isWhole(shown, kind) })]
    const outcome: ProjectOutcome = {
      ...shown,
      endings: Object.fromEntries(this.#origins.endings),
      undecided: [...this.#origins.undecided, ...shown.undecided],
      evaluation: this.#rules.outcome(),
    }
    const { draft, ignored } = this.#scan
    await reconcileProject(draft, outcome, this.#acceptances.apply(findings), {
      evaluator: this.#evaluator,
      acceptances: this.#acceptances,
      expected: this.#expected,
      ignored,
      reform: this.#reform,
    })
    return outcome
  }

  /** What rules find in resources, and in how they differ from before. */
  async #evaluate(listing: Listing, shown: readonly ShownResource[]): Promise<readonly Finding[]> {
    const { draft, project, now } = this.#scan
    const resources = shown.map(({ resource }) => resource)
    const dates = await dateValues(
      resources.map((resource) => ({ resource, paths: this.#evaluator.datesOf(resource) })),
      { before: draft.run, startedAt: new Date(now).toISOString() },
      (points) => draft.versionsAt(project, points),
    )
    const findings: Finding[] = []
    for (const [at, resource] of resources.entries()) {
      for (const finding of this.#rules.evaluate(resource, dates[at])) findings.push(finding)
    }
    const compared = await this.#comparison.compare(listing, shown)
    const drifted = compared.flatMap(({ resource, drift, originRun }) =>
      this.#rules.compare(resource, drift, originRun),
    )
    for (const finding of await this.#origins.decide(resources, drifted)) findings.push(finding)
    return findings
  }
}
