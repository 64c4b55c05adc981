import type { Coverage } from '../model/coverage.ts'
import type { ExitCode } from '../model/errors.ts'
import type { EvaluatedRule, ProjectEvaluation } from '../model/evaluation.ts'
import type { PolicyFacts } from '../model/policy-facts.ts'
import type { Kind, Listing, ProjectRef } from '../model/resource.ts'
import type { FailOn, Resolution, Severity, Waiver } from '../model/violation.ts'
import type { Move } from './lease-owner.ts'
import type { RecordedViolation, RunRecord } from './records.ts'
import type { ListedResource, ResourceCount, ResourceListChoice } from './resource-list.ts'
import type { PastReader } from './stored-body.ts'

/**
 * Queries on the history. They read committed runs only. An answer "as of" a run never changes, so several queries
 * about one run agree while another run is being written.
 */
export interface HistoryReader extends PastReader {
  /** When it was made: ISO 8601, UTC. Pruning does not change it, so it distinguishes histories. */
  madeAt(): Promise<string>
  /** Where the history was moved to; undefined where it was not. */
  moved(): Promise<Move | undefined>
  /** Committed runs, oldest first. */
  runs(): Promise<readonly CommittedRun[]>
  /** The newest committed run; undefined when there is none. Reads one row, where `runs` may read millions. */
  lastRun(): Promise<CommittedRun | undefined>
  /** The last `most` committed or interrupted runs, newest first, and how many there are in all. */
  endedRuns(most: number): Promise<{ readonly runs: readonly EndedRun[]; readonly total: number }>
  /** The last `most` committed or interrupted runs before one, newest first. */
  runsBefore(run: number, most: number): Promise<readonly EndedRun[]>
  /** The same by project, of committed runs from one number to another: as many rows as they scanned projects. */
  runExtents(first: number, last: number): Promise<readonly RunExtent[]>
  /** A committed run; undefined when there is none of that number. Reads one row, where `runs` may read millions. */
  committedRun(number: number): Promise<CommittedRun | undefined>
  /** The record of a committed run; undefined when there is none of that number. */
  readRun(number: number): Promise<RunRecord | undefined>

  /** The last scan of every project of a service as of a run, sorted by project name; `only`: of that project. */
  latestScans(run: number, only?: ProjectRef): Promise<readonly RecordedScan[]>
  /** Active violations as of a run, each project as of its last scan, in the order of reports. */
  violationsAt(run: number): Promise<readonly RecordedViolation[]>
  /** Violations resolved in runs after `after`, up to `run`: latest first, then in the order of reports. */
  resolvedBetween(after: number, run: number): Promise<readonly ResolvedViolation[]>
  /**
   * Visits how many violations are alike, unordered, and holds none: a violation is in one group. Of a past run, those that
   * have ended since are in groups of their own.
   */
  groupViolations(choice: GroupChoice, visit: (group: ViolationGroup) => void): Promise<void>
  /** The first of the chosen violations, or those next to a place, and how many there are around them. */
  pageViolations(choice: PageChoice): Promise<ViolationPage>
  /** The first ones alone. What is not returned is not held, so a million violations cost no memory. */
  firstViolations(choice: ViolationChoice): Promise<readonly (RecordedViolation | ResolvedViolation)[]>
  /** Which rules the violations of which projects are of, resolved ones too, as of a run. Unordered. */
  violatedRules(run: number): Promise<readonly RuleInProject[]>
  /** Violations that were identified, in the order asked; without those that were pruned since. */
  foundViolations(found: readonly FoundViolation[]): Promise<readonly (RecordedViolation | ResolvedViolation)[]>
  /** Violations as of a run whose fingerprints begin with a text: the first `most` of them by fingerprint. */
  identifyViolations(prefix: string, run: number, most: number): Promise<readonly IdentifiedViolation[]>
  /**
   * Visits the spans of violations that reach into a run after `after`, up to `run`, as of `run`: what ends later is
   * active. The span of a violation ends when anything that is said of it changes. First come those that are all of
   * their violation, unordered; then the others, of which those of a violation follow each other, oldest first.
   */
  visitSpans(after: number, run: number, visit: (span: RecordedSpan) => void): Promise<void>
  /** Violations that were waived in a run after `after`, up to `run`; once for each waiver, unordered. */
  waivedBetween(after: number, run: number): Promise<readonly WaivedViolation[]>
  /** What the policies of committed runs after `after`, up to `run`, leave out; by their first run. */
  policiesBetween(after: number, run: number): Promise<readonly RecordedPolicy[]>
  /** Resources of a project as of a run, by kind and uid. */
  stateAt(project: ProjectRef, run: number, kind?: Kind): Promise<readonly ResourceAtRun[]>
  /** Some resources as of a run, without their attributes: what is not returned is not held. */
  listResources(choice: ResourceListChoice): Promise<readonly ListedResource[]>
  /** How many resources of each kind projects have as of a run; without those that they have none of. */
  countResources(projects: readonly ProjectRef[], run: number): Promise<readonly ResourceCount[]>
  /** Resources whose version at `to` differs from the one at `from`, an earlier run; by project, kind and uid. */
  differing(from: number, to: number): Promise<readonly Differing[]>
  /** Visits the same unordered, and holds one at a time. */
  visitDiffering(from: number, to: number, visit: (pair: Differing) => void): Promise<void>

  /** The inputs and notes of a committed run; undefined when there is none of that number. */
  runInputs(run: number): Promise<RunInputs | undefined>

  /** Every project and kind in which a uid was seen, as of a run. */
  find(uid: string, run: number): Promise<readonly Identity[]>
  /** Resources that had a name by a run, or whose uid begins with that text; removed ones too. As `find` sorts them. */
  search(text: string, run: number): Promise<readonly NamedIdentity[]>
  /** The endpoints whose `owner_id` a text is as of a run; by project, then by uid. Reads every endpoint. */
  endpointsOf(owner: string, run: number): Promise<readonly NamedIdentity[]>
  /** All versions of a resource as of a run, oldest first. */
  versionsOf(identity: Identity, run: number): Promise<readonly VersionSpan[]>
  /** All spans of a resource's violations as of a run, oldest first. */
  violationsOf(identity: Identity, run: number): Promise<readonly ViolationSpan[]>
  /** Subscriptions that ever referred to a resource as of a run, by uid. */
  referrersOf(identity: Identity, run: number): Promise<readonly Referrer[]>

  close(): Promise<void>
}

export interface CommittedRun {
  readonly number: number
  /** ISO 8601, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
}

export interface EndedRun extends CommittedRun {
  readonly isCommitted: boolean
  /** null for an interrupted one, and in a history of some projects. */
  readonly exitCode: ExitCode | null
  readonly walks: number
  /** Walks that were neither complete nor skipped. */
  readonly incomplete: number
  readonly changes: number
}

/** What a committed run walked and found changed in a project. */
export interface RunExtent {
  readonly run: number
  /** With its name in that run. */
  readonly project: ProjectRef
  readonly walks: number
  /** Walks that were neither complete nor skipped. */
  readonly incomplete: number
  readonly changes: number
}

export interface RecordedScan {
  /** With its name at that time. */
  readonly project: ProjectRef
  readonly run: CommittedRun
  readonly coverage: readonly Coverage[]
  /** The first scan after the last complete one; undefined when the last scan was complete. */
  readonly incompleteSince: CommittedRun | undefined
}

export interface ResolvedViolation extends RecordedViolation {
  readonly run: number
  /** Start of that run. */
  readonly resolvedAt: string
}

/** Where a violation is found again. */
export interface FoundViolation {
  readonly id: number
  /** The name of its project as of the run that was asked for. */
  readonly project: string
  readonly isResolved: boolean
  /** The scan that an active one is as of, or the run that resolved it. */
  readonly run: number
}

export interface IdentifiedViolation extends Identity, Omit<FoundViolation, 'project'> {
  readonly fingerprint: string
}

/** Which violations are asked for. Of patterns with `*`, one must match; all pass where there are none. */
interface AskedViolations {
  readonly run: number
  /** Whether active violations as of the run are asked for. */
  readonly withActive: boolean
  /** Those resolved in runs after this one, up to `run`, are asked for; undefined: none of them. */
  readonly resolvedAfter: number | undefined
  readonly rules?: readonly string[]
  /** Of what has no owner, the empty text. */
  readonly owners?: readonly string[]
  /** What a name, a message, a uid, a rule, a path or a project contains, in any case. */
  readonly text?: string | undefined
}

/** Of which one rule, one owner, or one resource a group is; `start`: resolved ones were opened by one run, as active ones. */
export type GroupPart = 'rule' | 'owner' | 'resource' | 'start'

export interface GroupChoice extends AskedViolations {
  readonly by: readonly GroupPart[]
}

export interface ViolationChoice extends AskedViolations {
  /** Is asked once for each group of the violations that are asked for, unordered. */
  isChosen?(group: ViolationGroup): boolean
  /** What orders them first. Then come active ones in the order of reports, then resolved ones, the latest first. */
  sortKey?(group: ViolationGroup): string
  readonly most: number
  /** What `isChosen` and `sortKey` must know; default: `start`. */
  readonly by?: readonly GroupPart[]
  /** All groups of what is asked for, by the same, where they were visited already. */
  readonly groups?: readonly ViolationGroup[] | undefined
}

export interface PageChoice extends ViolationChoice {
  /** Where the page begins, or ends; absent: it is the first one. */
  readonly place?: ViolationPlace | undefined
}

/** A place in an order of violations, where one is or was. */
export interface ViolationPlace
  extends Pick<RecordedViolation, 'severity' | 'state' | 'project' | 'kind' | 'uid' | 'rule' | 'path'> {
  readonly sortKey: string
  /** The run that resolved it; 0 for an active one. */
  readonly run: number
  /** Whether the page is what comes before it, and not what comes after it. */
  readonly isEnd: boolean
}

export interface ViolationPage {
  readonly violations: readonly (RecordedViolation | ResolvedViolation)[]
  /** How many of the chosen ones come before the page, and after it. */
  readonly before: number
  readonly after: number
}

/** Violations that are alike in all of this. */
export interface ViolationGroup
  extends Pick<RecordedViolation, 'rule' | 'severity' | 'state' | 'project' | 'kind' | 'firstSeen'> {
  /** Of groups that are not of one rule, it is empty; but active ones of `violation/overdue` have no due date. */
  readonly rule: string
  /** Empty for those without one, and of groups that are not of one owner. */
  readonly owner: string
  /** Of groups of one resource, its; else of those of one rule or owner, the least, compared by code points; else empty. */
  readonly uid: string
  /** The scan that active ones are as of, or the run that resolved them. */
  readonly run: number
  /** undefined unless they are waived. */
  readonly waiver?: true
  /** By which they are found again: the row of their project, and the run that opened them, the first one of several. */
  readonly projectId: number
  readonly firstRun: number
  /** How many there are. */
  readonly violations: number
  /** The last run of the history when they were counted. */
  readonly asOf: number
  /** Their rows, where a text chose them, or runs after the one that is asked about ended them. */
  readonly ids?: readonly number[]
}

export interface RuleInProject {
  readonly project: string
  readonly rule: string
}

export interface RecordedSpan {
  readonly project: string
  readonly fingerprint: string
  readonly rule: string
  readonly severity: Severity
  /** Whether it was waived, or could not be checked and was waived before. */
  readonly isWaived: boolean
  /** Starts of the runs that opened the violation, and that wrote and ended the span. */
  readonly firstSeen: string
  readonly from: string
  readonly to: string | null
  /** Whether a later span continues the violation. */
  readonly goesOn: boolean
  /** Why the violation ended with this span, where the history can say. */
  readonly resolution: Resolution | null
}

export interface WaivedViolation {
  readonly fingerprint: string
  readonly rule: string
  readonly waiver: Waiver
}

/** What a policy leaves out, and the first and last run of those that were asked for that recorded it. */
export interface RecordedPolicy {
  readonly firstRun: number
  readonly lastRun: number
  readonly policy: PolicyFacts
}

/** A version as stored. The body is unparsed canonical JSON: callers read many versions and parse few. */
export interface KeptVersion {
  readonly name: string
  readonly fromRun: number
  readonly digest: string
  readonly body: string
  readonly sealKeyId: string
}

/** A version with all that rules evaluate. */
export interface EvaluableVersion extends KeptVersion {
  /** Start of the run that wrote it. */
  readonly since: string
  /** Canonical JSON; empty when there are none. */
  readonly facts: string
}

export interface ResourceAtRun extends KeptVersion {
  readonly kind: Kind
  readonly uid: string
  /** Start of the run that wrote it. */
  readonly since: string
  /** No subscription refers to it, and no listing shows it. */
  readonly isUnreferenced: boolean
}

export interface Differing {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
  readonly before: EvaluableVersion | undefined
  readonly after: EvaluableVersion | undefined
}

/** What a replay of the run needs besides the state. */
export interface RunInputs {
  readonly configurationDigest: string
  /** Which installation key sealed the secrets that it wrote. */
  readonly sealKeyId: string
  readonly failOn: FailOn
  /** Sorted by id; empty likewise. */
  readonly rules: readonly EvaluatedRule[]
  /** Sorted by project; empty for runs of releases that did not store this. */
  readonly projects: readonly ProjectEvaluation[]
  readonly changes: RunRecord['changes']
  /** Removals that walks found and that wait to be confirmed. */
  readonly withheldRemovals: readonly (ProjectKey & { readonly listing: Listing; readonly uids: readonly string[] })[]
  /** Resources without a reference as of the run. */
  readonly unreferenced: readonly (ProjectKey & { readonly kind: Kind; readonly uid: string })[]
}

export interface ProjectKey {
  readonly project: Pick<ProjectRef, 'service' | 'uid'>
}

export interface Identity {
  readonly project: ProjectRef
  readonly kind: Kind
  readonly uid: string
}

export interface NamedIdentity extends Identity {
  /** Its last name by then. */
  readonly name: string
}

export interface VersionSpan extends KeptVersion {
  /** Starts of the runs that wrote and ended it. */
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
  /** Whether the run that wrote it reported the resource as added. */
  readonly isAdded: boolean
}

export interface ViolationSpan extends Omit<RecordedViolation, 'project' | 'firstSeen' | 'lastSeen' | 'state'> {
  readonly state: 'open' | 'unknown' | 'waived'
  readonly fromRun: number
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
  /** Whether it continues an earlier span, and whether a later one continues it. */
  readonly isContinued: boolean
  readonly goesOn: boolean
}

export interface Referrer {
  readonly uid: string
  readonly name: string
  readonly fromRun: number
  readonly from: string
  readonly toRun: number | null
  readonly to: string | null
}
