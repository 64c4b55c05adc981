import type { WaivedViolation } from '../history/reader.ts'
import { canonicalJson } from '../model/canonical-json.ts'
import type {
  Compliance,
  CompliancePeriod,
  ControlEvidence,
  ControlRule,
  ControlState,
  ControlViolation,
  ControlWaiver,
  ReplayedWith,
} from '../model/compliance.ts'
import type { Report, ReportRule, ReportViolation } from '../model/report.ts'
import { isAtLeast, type Waiver } from '../model/violation.ts'
import type { FrameworkMapping, MappedControl } from '../rules/framework-mapping.ts'
import { coverageOf } from './control-coverage.ts'

export interface ComplianceInput {
  readonly report: Report
  readonly mapping: FrameworkMapping
  readonly period?: CompliancePeriod
  /** Violations that were resolved within the period, before the run. */
  readonly resolvedBefore?: readonly ControlViolation[]
  /** Violations that were accepted within the period, also those that are not any more. */
  readonly waivedMeanwhile?: readonly WaivedViolation[]
  /** When the report is not what was recorded. */
  readonly replayedWith?: ReplayedWith
}

/** What a run says of each control of a framework: a function of its report, so the same today and in a year. */
export function composeCompliance(input: ComplianceInput): Compliance {
  const { report, mapping, period, resolvedBefore = [], waivedMeanwhile = [], replayedWith } = input
  const stood = report.violations.map((violation) => withDuration(violation, report.run.started_at))
  const violations = [...stood, ...resolvedBefore]
  return {
    schema: 'hookdrift.compliance/1',
    framework: mapping.id,
    title: mapping.title,
    tool: report.tool,
    run: report.run,
    digests: report.digests,
    verify: 'hookdrift verify',
    ...(replayedWith === undefined ? {} : { replayed_with: replayedWith }),
    ...(period === undefined ? {} : { period }),
    controls: mapping.controls.map((control) =>
      judgeControl(control, mapping.id, { report, violations, waivedMeanwhile }),
    ),
  }
}

interface Evidence {
  readonly report: Report
  readonly violations: readonly ControlViolation[]
  readonly waivedMeanwhile: readonly WaivedViolation[]
}

function judgeControl(
  control: MappedControl,
  framework: string,
  { report, violations, waivedMeanwhile }: Evidence,
): ControlEvidence {
  const judging = report.rules.flatMap((rule) => {
    const isNamed = rule.controls.includes(`${framework}:${control.id}`)
    const because = control.becauseOf(rule.id) ?? (isNamed ? 'The policy names it for this control.' : undefined)
    return because === undefined ? [] : [{ rule, because }]
  })
  const ids = new Set(judging.map(({ rule }) => rule.id))
  const found = violations.filter(({ rule }) => ids.has(rule))
  const rules = judging.map(({ rule, because }) => describeRule(rule, because, report))
  const coverage = coverageOf(new Set(judging.flatMap(({ rule }) => rule.needs)), report)
  const failing = found.filter((violation) => isOpen(violation) && isAtLeast(violation.severity, 'medium'))
  const silent = rules.filter(({ unjudged }) => unjudged.length > 0).map(({ id }) => id)
  const [state, reason] = decideState(rules.length, failing.length, coverage.gaps.length, silent)
  const waivers = waiversOf([...found, ...waivedMeanwhile.filter(({ rule }) => ids.has(rule))])
  return { id: control.id, title: control.title, state, reason, rules, violations: found, waivers, coverage }
}

function decideState(
  rules: number,
  failing: number,
  gaps: number,
  silent: readonly string[],
): [state: ControlState, reason: string] {
  if (rules === 0) return ['not_covered', 'No rule that judged gives evidence for it.']
  if (failing > 0)
    return ['not_met', `${failing} open ${failing === 1 ? 'violation' : 'violations'} of medium or above.`]
  if (gaps > 0)
    return [
      'not_fully_looked_at',
      `${gaps} ${gaps === 1 ? 'walk' : 'walks'} of what its rules judge ${gaps === 1 ? 'was' : 'were'} not complete.`,
    ]
  if (silent.length > 0) return ['not_fully_looked_at', `Not every rule could judge: ${silent.join(', ')}.`]
  return ['met', 'No open violation of medium or above, and all was looked at.']
}

function isOpen({ state }: ReportViolation): boolean {
  return state === 'opened' || state === 'continuing'
}

function describeRule({ id, title, severity, kind }: ReportRule, because: string, { projects }: Report): ControlRule {
  const judged = projects.reduce(
    (sum, project) => sum + (ownOf(project.evaluated_by_rule, id) ?? project.resources[kind] ?? 0),
    0,
  )
  const unjudged = projects.flatMap(({ project, not_evaluated }) => {
    const reason = ownOf(not_evaluated, id)
    return reason === undefined ? [] : [{ project, reason }]
  })
  return { id, title, severity, because, judged, unjudged }
}

function withDuration(violation: ReportViolation, at: string): ControlViolation {
  const stood_ms = Date.parse(at) - Date.parse(violation.first_seen)
  return violation.state === 'resolved' ? { ...violation, resolved_at: at, stood_ms } : { ...violation, stood_ms }
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

/** A rule of a policy may be called like what every object has. */
function ownOf<Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}
