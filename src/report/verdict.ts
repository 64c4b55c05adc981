import { changeTypes } from '../model/change.ts'
import { type Coverage, isCoverageComplete } from '../model/coverage.ts'
import { type ExitCode, exitCodes, signalExits } from '../model/errors.ts'
import type { ReportChange, ReportViolation, Verdict } from '../model/report.ts'
import { isAtLeast, type Severity, severities } from '../model/violation.ts'
import { count, countEach } from '../text/count.ts'

interface EvaluatedExtent {
  readonly coverage: readonly (Pick<Coverage, 'status' | 'cause' | 'reason' | 'items'> & { readonly project: string })[]
  readonly violations: readonly Pick<ReportViolation, 'severity' | 'state'>[]
  readonly drift: readonly Pick<ReportChange, 'change'>[]
  readonly failOn: Severity
}

type Counts = Omit<Verdict, 'exit_code' | 'text'>

/**
 * The verdict of a run. A signal that interrupted it decides first, then a bug of ours that ended the audit of a
 * project, then coverage, then open violations. Drift and waived, unknown or resolved violations never decide the exit code.
 */
export function composeVerdict({ coverage, violations, drift, failOn }: EvaluatedExtent): Verdict {
  const open = violations.filter(({ state }) => state === 'opened' || state === 'continuing')
  const ofState = (state: string) => violations.filter((violation) => violation.state === state).length
  const ofSeverity = (severity: Severity) => open.filter((violation) => violation.severity === severity).length
  const ofChange = (type: string) => drift.filter(({ change }) => change === type).length

  const counts: Counts = {
    fail_on: failOn,
    violations: {
      critical: ofSeverity('critical'),
      high: ofSeverity('high'),
      medium: ofSeverity('medium'),
      low: ofSeverity('low'),
      info: ofSeverity('info'),
    },
    waived: ofState('waived'),
    unknown: ofState('unknown'),
    resolved: ofState('resolved'),
    drift: { added: ofChange('added'), removed: ofChange('removed'), modified: ofChange('modified') },
  }
  const exitCode = decideExitCode(coverage, countFailing(counts))
  return { exit_code: exitCode, text: sentenceOf(exitCode, counts, coverage), ...counts }
}

function decideExitCode(coverage: EvaluatedExtent['coverage'], failing: number): ExitCode {
  const signal = signalIn(coverage)
  if (signal !== undefined) return signalExits[signal]
  if (coverage.some(({ cause }) => cause === 'bug')) return exitCodes.failure
  if (!isCoverageComplete(coverage)) return exitCodes.incomplete
  return failing > 0 ? exitCodes.violations : exitCodes.clean
}

/** The signal that ended walks. Runs of versions that did not name it so exit as incomplete ones. */
function signalIn(coverage: EvaluatedExtent['coverage']): keyof typeof signalExits | undefined {
  const reasons = coverage.flatMap(({ cause, reason }) => (cause === 'signal' && reason !== null ? [reason] : []))
  return (['SIGINT', 'SIGTERM'] as const).find((name) =>
    reasons.some((reason) => reason.endsWith(`interrupted by ${name}`)),
  )
}

function countFailing({ violations, fail_on }: Counts): number {
  return sum(severities.filter((severity) => isAtLeast(severity, fail_on)).map((severity) => violations[severity]))
}

function sentenceOf(exitCode: ExitCode, counts: Counts, coverage: EvaluatedExtent['coverage']): string {
  const parts = [
    ...scanOf(exitCode, counts, coverage),
    ...describeUnknown(counts),
    ...describeWaived(counts),
    describeDrift(counts),
  ]
  return `${parts.join(exitCode === exitCodes.clean ? ', ' : '; ')}.`
}

/** What was scanned and found open. Only a run without unknown violations is called clean. */
function scanOf(exitCode: ExitCode, counts: Counts, coverage: EvaluatedExtent['coverage']): string[] {
  if (!isCoverageComplete(coverage)) {
    const walks = coverage.filter(({ status }) => status !== 'skipped')
    const incomplete = walks.filter(({ status }) => status !== 'complete').length
    return [
      ...describeBugs(coverage),
      `${incomplete} of ${count(walks.length, 'walk')} incomplete`,
      describeOpen(counts),
    ]
  }
  if (exitCode === exitCodes.violations) return [describeOpen(counts)]
  const below = countEach(severities, counts.violations)
  const nothing = `no open violation at ${atLeast(counts.fail_on)}${below === '' ? '' : ` (${below})`}`
  const items = count(sum(coverage.map((walk) => walk.items)), 'item')
  return counts.unknown === 0 ? [`Clean: ${items}`, nothing] : [`Scanned ${items}`, nothing]
}

function describeBugs(coverage: EvaluatedExtent['coverage']): string[] {
  const projects = new Set(coverage.filter(({ cause }) => cause === 'bug').map(({ project }) => project)).size
  return projects === 0 ? [] : [`a bug in hookdrift ended the audit of ${count(projects, 'project')}`]
}

function describeOpen(counts: Counts): string {
  const open = sum(Object.values(counts.violations))
  if (open === 0) return 'no open violation'
  const failing = countFailing(counts)
  const share = failing === open ? '' : `, ${failing === 0 ? 'none' : failing} at ${atLeast(counts.fail_on)}`
  return `${count(open, 'open violation')} (${countEach(severities, counts.violations)})${share}`
}

function describeUnknown({ unknown }: Counts): string[] {
  return unknown === 0 ? [] : [`${count(unknown, 'violation')} unknown`]
}

function describeWaived({ waived }: Counts): string[] {
  return waived === 0 ? [] : [`${count(waived, 'violation')} waived`]
}

function describeDrift({ drift }: Counts): string {
  const changes = sum(changeTypes.map((type) => drift[type]))
  return changes === 0 ? 'no drift' : count(changes, 'change')
}

function atLeast(severity: Severity): string {
  return severity === 'critical' ? 'critical' : `${severity} or above`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
