import type { WaivedViolation } from '../history/reader.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import type { EvaluatedRule } from '../model/evaluation.ts'
import type { Report, ReportViolation } from '../model/report.ts'
import { countSeverities, isOpen, severities, type ViolationState, type Waiver } from '../model/violation.ts'
import { count, countEach } from '../text/count.ts'
import type {
  Compliance,
  CompliancePeriod,
  ControlEvidence,
  ControlRule,
  ControlState,
  ControlViolation,
  ControlWaiver,
  ReplayedWith,
} from './compliance.ts'
import { coverageOf } from './control-coverage.ts'
import { describeDoubts, describeDoubtsOf } from './describe-doubts.ts'
import { type Framework, type FrameworkControl, rationaleFor } from './framework.ts'

export interface ComplianceInput {
  readonly report: Report
  readonly framework: Framework
  readonly period?: CompliancePeriod
  /** Violations that were resolved within the period, before the run. */
  readonly resolvedBefore?: readonly ControlViolation[]
  /** Violations that were waived within the period, also when they no longer are. */
  readonly waivedMeanwhile?: readonly WaivedViolation[]
  /** Present when the report is a replay. */
  readonly replayedWith?: ReplayedWith
}

/** Assesses each control of a framework. Pure: the same report gives the same result today and in a year. */
export function composeCompliance(input: ComplianceInput): Compliance {
  const { report, framework, period, resolvedBefore = [], waivedMeanwhile = [], replayedWith } = input
  const current = report.violations.map((violation) => withDuration(violation, report.run.started_at))
  const violations = [...current, ...resolvedBefore]
  return {
    schema: 'hookdrift.compliance/2',
    framework: framework.id,
    title: framework.title,
    tool: report.tool,
    run: report.run,
    digests: report.digests,
    verify: 'hookdrift verify',
    ...(replayedWith === undefined ? {} : { replayed_with: replayedWith }),
    ...(period === undefined ? {} : { period }),
    controls: framework.controls.map((control) =>
      assessControl(control, framework.id, { report, violations, waivedMeanwhile }),
    ),
  }
}

interface Evidence {
  readonly report: Report
  readonly violations: readonly ControlViolation[]
  readonly waivedMeanwhile: readonly WaivedViolation[]
}

function assessControl(
  control: FrameworkControl,
  framework: string,
  { report, violations, waivedMeanwhile }: Evidence,
): ControlEvidence {
  const evaluated = report.rules.flatMap((rule) => {
    const isNamed = rule.controls.includes(`${framework}:${control.id}`)
    const rationale = rationaleFor(control, rule.id) ?? (isNamed ? 'The policy names it for this control.' : undefined)
    return rationale === undefined ? [] : [{ rule, rationale }]
  })
  const ids = new Set(evaluated.map(({ rule }) => rule.id))
  const found = violations.filter(({ rule }) => ids.has(rule))
  const rules = evaluated.map(({ rule, rationale }) => describeRule(rule, rationale, report))
  const coverage = coverageOf(new Set(evaluated.flatMap(({ rule }) => rule.needs)), report)
  const open = found.filter(isOpen)
  const accepted = report.accepted.filter(({ rule }) => ids.has(rule))
  const isCovered = control.evidence.length > 0
  const numberOf = (state: ViolationState) => found.filter((violation) => violation.state === state).length
  const [state, reason] = decideState({
    ...{ isCovered, rules, open, accepted: accepted.length, gaps: coverage.gaps.length },
    isScanned: report.coverage.length > 0,
    ...{ unknown: numberOf('unknown'), waived: numberOf('waived') },
    doubts: describeDoubtsOf([...ids], report.projects),
  })
  const waivers = waiversOf([...found, ...waivedMeanwhile.filter(({ rule }) => ids.has(rule))])
  return {
    id: control.id,
    title: control.title,
    state,
    reason,
    rules: rules.map((rule) => withDoubts(rule, report)),
    violations: found,
    waivers,
    accepted,
    coverage,
  }
}

interface Assessment {
  /** Whether the framework maps rules to the control, in force or not. */
  readonly isCovered: boolean
  readonly rules: readonly ControlRule[]
  readonly open: readonly ControlViolation[]
  /** Violations that were open when last seen, and that the run did not check. */
  readonly unknown: number
  /** Violations that do not decide, because a person answers for them. */
  readonly waived: number
  readonly accepted: number
  /** Walks that were not complete. */
  readonly gaps: number
  /** Fields that its rules could not rely on, in words: what has them so was not evaluated. */
  readonly doubts: readonly string[]
  /** Whether the run walked anything: for readers of some projects, anything of these. */
  readonly isScanned: boolean
}

function decideState(assessment: Assessment): [state: ControlState, reason: string] {
  const { isCovered, rules, open, unknown, gaps, doubts, isScanned } = assessment
  if (rules.length === 0) {
    return isCovered
      ? ['not_assessed', 'The policy turns off every rule that gives evidence for it.']
      : ['not_covered', 'No rule gives evidence for it.']
  }
  if (open.length > 0)
    return ['not_met', `${count(open.length, 'open violation')} (${countEach(severities, countSeverities(open))}).`]
  if (!isScanned) return ['not_assessed', 'The run scanned nothing of what its rules evaluate.']
  const silent = rules.filter(({ not_evaluated }) => not_evaluated.length > 0).map(({ id }) => id)
  if (gaps === 0 && silent.length === 0 && unknown === 0 && doubts.length === 0) {
    const exceptions = countEach(['waived', 'accepted'], assessment)
    const but = exceptions === '' ? '' : ` (${exceptions})`
    return ['met', `No open violation${but}, and the run observed everything that its rules evaluate.`]
  }
  const isAnyEvaluated = rules.some(({ evaluated }) => evaluated > 0)
  return [isAnyEvaluated ? 'partially_assessed' : 'not_assessed', describeMissing(assessment, silent)]
}

function describeMissing(assessment: Assessment, silent: readonly string[]): string {
  const { gaps, unknown, doubts } = assessment
  const left = doubts.length - mostDoubts
  return [
    ...doubts.slice(0, mostDoubts),
    ...(left > 0 ? [`The same holds for ${count(left, 'more field')}.`] : []),
    ...(gaps + silent.length + unknown > 0 ? [describeUnseen(assessment, silent)] : []),
  ].join(' ')
}

const mostDoubts = 3

function describeUnseen({ gaps, unknown }: Assessment, silent: readonly string[]): string {
  if (gaps === 1) return '1 walk of what its rules evaluate was not complete.'
  if (gaps > 1) return `${gaps} walks of what its rules evaluate were not complete.`
  if (silent.length > 0) return `The run could not evaluate every rule: ${silent.join(', ')}.`
  return `The run did not check ${count(unknown, 'violation')} that ${unknown === 1 ? 'was' : 'were'} open before.`
}

function describeRule({ id, title, severity, kind }: EvaluatedRule, rationale: string, report: Report): ControlRule {
  const reasons = report.projects.map(({ project, not_evaluated }) => ({ project, reason: ownOf(not_evaluated, id) }))
  const not_evaluated = reasons.flatMap(({ project, reason }) => (reason === undefined ? [] : [{ project, reason }]))
  const evaluated = report.projects.reduce(
    (sum, { evaluated_by_rule, resources, not_evaluated: missed }) =>
      ownOf(missed, id) === undefined ? sum + (ownOf(evaluated_by_rule, id) ?? resources[kind] ?? 0) : sum,
    0,
  )
  return { id, title, severity, rationale, evaluated, not_evaluated }
}

/** A rule that could not evaluate some resources says which. */
function withDoubts(rule: ControlRule, { projects }: Report): ControlRule {
  const doubts = describeDoubts(rule.id, projects)
  return doubts.length === 0 ? rule : { ...rule, not_evaluated: [...rule.not_evaluated, ...doubts] }
}

function withDuration(violation: ReportViolation, at: string): ControlViolation {
  const open_ms = Date.parse(at) - Date.parse(violation.first_seen)
  return violation.state === 'resolved' ? { ...violation, resolved_at: at, open_ms } : { ...violation, open_ms }
}

function waiversOf(violations: readonly (Pick<ControlViolation, 'fingerprint' | 'rule'> & { waiver?: Waiver })[]) {
  const accepted = new Map<string, { waiver: Omit<ControlWaiver, 'violations'>; fingerprints: Set<string> }>()
  for (const { fingerprint, rule, waiver } of violations) {
    if (waiver === undefined) continue
    const key = canonicalJson([rule, { ...waiver }])
    const known = accepted.get(key) ?? { waiver: { ...waiver, rule }, fingerprints: new Set() }
    accepted.set(key, known)
    known.fingerprints.add(fingerprint)
  }
  return [...accepted.values()].map(({ waiver, fingerprints }) => ({ ...waiver, violations: fingerprints.size }))
}

/** A policy's own rule may be named like a member that every object inherits. */
function ownOf<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
