import { changeTypes } from '../model/change.ts'
import { type Coverage, isCoverageComplete, signalOf } from '../model/coverage.ts'
import { type ExitCode, exitCodes, signalExits } from '../model/errors.ts'
import type { ReportProject } from '../model/evaluation.ts'
import { countUnsureRules, type Gap, gapCauses } from '../model/gap.ts'
import { pointersOverlap } from '../model/json.ts'
import type { Report, ReportDrift, ReportViolation, Verdict } from '../model/report.ts'
import { count, countEach } from '../model/text/count.ts'
import {
  countSeverities,
  type FailOn,
  isAtLeast,
  isOpen,
  leastNew,
  type Severity,
  severities,
  totalOf,
} from '../model/violation.ts'
import { isAllCompared, listingWalks, type ScannedExtent, scannedExtent } from './gaps.ts'

interface EvaluatedExtent {
  readonly coverage: readonly (Pick<Coverage, 'status' | 'cause' | 'items' | 'pages'> &
    Partial<Pick<Coverage, 'listing'>> & { readonly project: string })[]
  readonly violations: readonly FailureCandidate[]
  readonly drift: readonly AnnouncedChange[]
  readonly projects?: readonly Pick<ReportProject, 'project' | 'not_compared' | 'approved_at'>[]
  readonly gaps?: readonly Pick<Gap, 'cause' | 'rule' | 'project'>[]
  readonly notices?: Report['notices']
  /** Start of the run: ISO 8601 in UTC. */
  readonly at?: string
  readonly failOn: FailOn
}

/** A change, and the window in which it may have been made. */
type AnnouncedChange = Pick<ReportDrift, 'change'> &
  Partial<Pick<ReportDrift, 'project' | 'kind' | 'uid' | 'fields' | 'window'>>

type Counts = Omit<Verdict, 'exit_code' | 'text'>

/** What the sentence needs besides the counts. */
interface VerdictGrounds extends Pick<EvaluatedExtent, 'coverage'> {
  readonly exitCode: ExitCode
  readonly failing: number
  /** Violations that would fail the run, were they still open: that could not be said. */
  readonly lost: number
  readonly extent: ScannedExtent
  /** How many rules could not evaluate every resource. */
  readonly unsure: number
  /** How many changes may have been made in a change window. */
  readonly announced: number
  /** Limits what "none" is about; empty after a complete scan. */
  readonly limits: string
  /** Whether all that was scanned was compared with the scan before. */
  readonly isCompared: boolean
}

/**
 * The verdict of a run. A signal that interrupted it decides first, then a bug of ours that ended the audit of a
 * project, then what was not seen, then open violations. Drift and waived or resolved violations never decide the exit code.
 */
export function composeVerdict({
  coverage,
  violations,
  drift,
  projects = [],
  gaps = [],
  notices = [],
  at = '',
  failOn,
}: EvaluatedExtent): Verdict {
  const ofState = (state: string) => violations.filter((violation) => violation.state === state).length
  const ofChange = (type: string) => drift.filter(({ change }) => change === type).length

  const counts: Counts = {
    fail_on: failOn,
    violations: countSeverities(violations.filter(isOpen)),
    waived: ofState('waived'),
    unknown: ofState('unknown'),
    resolved: ofState('resolved'),
    drift: { added: ofChange('added'), removed: ofChange('removed'), modified: ofChange('modified') },
  }
  const failing = violations.filter(failsRun(failOn, projects, drift)).length
  const lost = violations.filter(losesRun({ failOn, projects, drift, gaps, at })).length
  const exitCode = decideExitCode({ coverage, gaps }, { failing, lost })
  const limits = isCoverageComplete(coverage) ? '' : ' in what was scanned'
  const unsure = countUnsureRules(gaps)
  const announced = drift.filter(isAnnounced).length
  const [extent, isCompared] = [scannedExtent(coverage, projects), isAllCompared(notices)]
  const context = { coverage, exitCode, failing, lost, extent, unsure, announced, limits, isCompared }
  return { exit_code: exitCode, text: sentenceOf(counts, context), ...counts }
}

export function failsRunOf({ verdict, projects, drift }: Pick<Report, 'verdict' | 'projects' | 'drift'>) {
  return failsRun(verdict.fail_on, projects, drift)
}

export function losesRunOf(report: Pick<Report, 'verdict' | 'projects' | 'drift' | 'gaps' | 'run'>) {
  return losesRun({ failOn: report.verdict.fail_on, ...report, at: report.run.started_at })
}

export function atLeast(severity: Severity): string {
  return severity === 'critical' ? 'critical' : `${severity} or above`
}

type FailureCandidate = Pick<ReportViolation, 'severity' | 'state'> &
  Partial<Pick<ReportViolation, 'rule' | 'project' | 'kind' | 'uid' | 'path' | 'first_seen' | 'waiver'>>

/**
 * Whether a violation is unknown by what was not seen, and would fail the run, were it still open. The causes of gaps say
 * which of them count.
 */
export function losesRun({
  failOn,
  projects,
  drift,
  gaps = [],
  at = '',
}: Pick<EvaluatedExtent, 'failOn' | 'projects' | 'gaps' | 'at'> & {
  readonly drift?: readonly AnnouncedChange[]
}): (violation: FailureCandidate) => boolean {
  const excused = new Set(
    gaps.flatMap(({ cause, project, rule }) => (gapCauses[cause].exits3 === 'never' ? `${project} ${rule}` : [])),
  )
  const isExcused = ({ project, rule }: FailureCandidate) => excused.has(`${project} ${rule}`)
  // One that was waived when it was seen last would be waived still, until that ends.
  const isWaived = ({ waiver }: FailureCandidate) => waiver !== undefined && waiver.expires > at
  const isLost = (violation: FailureCandidate) =>
    violation.state === 'unknown' && !isWaived(violation) && !isExcused(violation)
  return failsRun(failOn, projects, drift, isLost)
}

/**
 * Whether a violation fails the run, by what the run fails on, by the approvals of its projects, and by the change windows
 * in which it may have come about. `counts`: of which violations that is asked; the open ones by default.
 */
export function failsRun(
  failOn: FailOn,
  projects: readonly Pick<ReportProject, 'project' | 'approved_at'>[] = [],
  drift: readonly AnnouncedChange[] = [],
  counts: (violation: FailureCandidate) => boolean = isOpen,
): (violation: FailureCandidate) => boolean {
  if (failOn === 'never') return () => false
  if (failOn !== 'new') return (violation) => counts(violation) && isAtLeast(violation.severity, failOn)
  const approvals = new Map(projects.map(({ project, approved_at }) => [project, approved_at]))
  const announced = new Map(drift.filter(isAnnounced).map((change) => [keyOf(change), change]))
  return (violation) => {
    const { severity, state, project = '', first_seen = '' } = violation
    if (!counts(violation) || !isAtLeast(severity, leastNew)) return false
    const change = announced.get(keyOf(violation))
    if (state === 'opened' && change !== undefined && follows(violation, change)) return false
    const approvedAt = approvals.get(project)
    return approvedAt === undefined ? state === 'opened' : first_seen > approvedAt
  }
}

/** Whether it may have been made in a change window. */
function isAnnounced({ window = null }: AnnouncedChange): boolean {
  return window !== null
}

function keyOf({ project, kind, uid }: Pick<AnnouncedChange, 'project' | 'kind' | 'uid'>): string {
  return JSON.stringify([project, kind, uid])
}

/** Whether a new violation of a changed resource is about what changed, or about all of the resource. */
function follows({ path = '' }: FailureCandidate, { change, fields = [] }: AnnouncedChange): boolean {
  return change !== 'modified' || fields.some((field) => pointersOverlap(field.path, path))
}

function decideExitCode(
  { coverage, gaps }: Required<Pick<EvaluatedExtent, 'coverage' | 'gaps'>>,
  { failing, lost }: Pick<VerdictGrounds, 'failing' | 'lost'>,
): ExitCode {
  const signal = coverage.map(signalOf).find((name) => name !== undefined)
  if (signal !== undefined) return signalExits[signal]
  if (coverage.some(({ cause }) => cause === 'bug')) return exitCodes.failure
  const isUnseen = lost > 0 || gaps.some(({ cause }) => gapCauses[cause].exits3 === 'always')
  if (isUnseen || !isCoverageComplete(coverage)) return exitCodes.incomplete
  return failing > 0 ? exitCodes.violations : exitCodes.clean
}

function sentenceOf(counts: Counts, context: VerdictGrounds): string {
  const parts = [
    ...scanOf(counts, context),
    ...describeUnknown(counts, context),
    ...describeUnsure(context.unsure),
    ...describeWaived(counts),
    ...describeDrift(counts, context),
  ]
  return `${parts.join(context.exitCode === exitCodes.clean ? ', ' : '; ')}.`
}

/** What was scanned and found open. Only a run that could evaluate and compare everything is said to have passed. */
function scanOf(counts: Counts, context: VerdictGrounds): string[] {
  const { coverage, exitCode, extent } = context
  if (!isCoverageComplete(coverage)) {
    const walks = coverage.filter(({ status }) => status !== 'skipped')
    const incomplete = walks.filter(({ status }) => status !== 'complete').length
    const open = totalOf(counts.violations)
    if (coverage.length === 0) return ['Nothing was scanned', ...(open === 0 ? [] : [describeOpen(counts, context)])]
    return [
      ...describeBugs(coverage),
      `${incomplete} of ${count(walks.length, 'listing')} incomplete`,
      extent === 'nothing' && open === 0 ? 'nothing was scanned' : describeOpen(counts, context),
    ]
  }
  if (exitCode === exitCodes.violations || context.failing > 0) return [describeOpen(counts, context)]
  const items = count(sum(listingWalks(coverage).map((walk) => walk.items)), 'resource')
  const nothing = describeNoFailure(counts, context)
  const isClean = counts.unknown + context.unsure === 0 && context.isCompared
  return isClean ? [`Passed: ${items}`, nothing] : [`Scanned ${items}`, nothing]
}

function describeBugs(coverage: EvaluatedExtent['coverage']): string[] {
  const projects = new Set(coverage.filter(({ cause }) => cause === 'bug').map(({ project }) => project)).size
  return projects === 0 ? [] : [`a bug in hookdrift ended the audit of ${count(projects, 'project')}`]
}

function describeOpen({ violations, fail_on }: Counts, { failing, announced, limits }: VerdictGrounds): string {
  const open = totalOf(violations)
  if (open === 0) return `no open violation${limits}`
  return `${count(open, 'open violation')} (${countEach(severities, violations)})${describeShare(fail_on, { failing, open, announced })}`
}

function describeShare(
  failOn: FailOn,
  { failing, open, announced }: { readonly failing: number; readonly open: number; readonly announced: number },
): string {
  const share = failing === 0 ? 'none' : `${failing}`
  if (failOn === 'never') return ''
  if (failOn === 'new') return failing === open ? ', all new' : `, ${share} new at ${newThatFails(announced)}`
  return failing === open ? '' : `, ${share} at ${atLeast(failOn)}`
}

/** What `--fail-on new` counts: what follows from a change in a window is new, too. */
function newThatFails(announced: number): string {
  return `${atLeast(leastNew)}${announced === 0 ? '' : ' outside of change windows'}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function describeNoFailure({ fail_on, violations }: Counts, { announced }: VerdictGrounds): string {
  const open = countEach(severities, violations)
  const among = open === '' ? '' : ` (${open})`
  if (fail_on === 'never') return open === '' ? 'no open violation' : `open violations fail no run${among}`
  if (fail_on === 'new') return `no new violation at ${newThatFails(announced)}${open === '' ? '' : ` (open: ${open})`}`
  return `no open violation at ${atLeast(fail_on)}${among}`
}

/** `3 violations unknown (2 at medium or above)`: whether these are still there could not be seen. */
function describeUnknown({ unknown, fail_on }: Counts, { lost }: VerdictGrounds): string[] {
  const level = fail_on === 'new' || fail_on === 'never' ? leastNew : fail_on
  const share = lost === 0 || lost === unknown ? '' : ` (${lost} at ${atLeast(level)})`
  return unknown === 0 ? [] : [`${count(unknown, 'violation')} unknown${share}`]
}

/** `2 rules could not evaluate everything`; nothing where all of them could. */
export function describeUnsure(rules: number): string[] {
  return rules === 0 ? [] : [`${count(rules, 'rule')} could not evaluate everything`]
}

function describeWaived({ waived }: Counts): string[] {
  return waived === 0 ? [] : [`${count(waived, 'violation')} waived`]
}

function describeDrift({ drift }: Counts, { extent, announced, limits, isCompared }: VerdictGrounds): string[] {
  const changes = sum(changeTypes.map((type) => drift[type]))
  const within = announced === 0 ? '' : ` (${announced === changes ? '' : `${announced} `}in a change window)`
  if (changes > 0) return [`${count(changes, 'change')}${within}`]
  if (extent === 'first') return ['first scan']
  return extent === 'nothing' ? [] : [`no drift${isCompared ? limits : ' in what could be compared'}`]
}
