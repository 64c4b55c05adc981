import type { WaivedViolation } from '../../history/sql/violations.ts'
import { canonicalJson } from '../../model/canonical-json.ts'
import { unsaid } from '../../model/decision.ts'
import type { EvaluatedRule } from '../../model/evaluation.ts'
import { type Gap, gapsOfRule, isSilenced } from '../../model/gap.ts'
import { memberOf } from '../../model/json.ts'
import {
  decisionOfPolicy,
  decisionOfWaiver,
  type PolicyException,
  type PolicyFacts,
  unknownPolicy,
} from '../../model/policy-facts.ts'
import type { Report, ReportCoverage, ReportViolation } from '../../model/report.ts'
import type { Kind } from '../../model/resource.ts'
import { type RunScope, unknownScope } from '../../model/run-scope.ts'
import { count, countEach } from '../../model/text/count.ts'
import { minuteOf, showOpenTime } from '../../model/time.ts'
import {
  type AcceptedViolation,
  countSeverities,
  type FailOn,
  isAtLeast,
  isOpen,
  isSolved,
  leastNew,
  type Resolution,
  type Severity,
  severities,
  type Waiver,
} from '../../model/violation.ts'
import { walksFor } from '../../model/walks-for.ts'
import { listed } from '../../rules/shared/listed.ts'
import {
  type Compliance,
  type CompliancePeriod,
  type ComplianceScope,
  type ControlCoverage,
  type ControlEvidence,
  type ControlGap,
  type ControlRule,
  type ControlState,
  type ControlViolation,
  type ControlWaiver,
  describeBesides,
  type Exception,
  type Exemption,
  type ExpectedChange,
  type FormerProject,
  type Population,
} from './compliance.ts'
import { type Framework, type FrameworkControl, rationaleFor } from './framework.ts'
import { groupGaps } from './gap-sentences.ts'
import type { FormerExemption } from './silenced-violations.ts'

export interface ComplianceInput extends Partial<GatheredFacts> {
  readonly report: Report
  readonly framework: Framework
  readonly period?: CompliancePeriod
  readonly population?: Population
}

/** What the history knows besides the report. */
interface GatheredFacts {
  /** What the policy leaves out. */
  readonly policy: PolicyFacts
  /** What the run was to cover. */
  readonly scope: RunScope
  /** Violations of projects that the run did not scan, as of their last scans. */
  readonly elsewhere: readonly ReportViolation[]
  /** Violations that people or the policy ended by the run, and of which the value is still there. */
  readonly silenced: readonly ReportViolation[]
  /** The same of violations that were so at the start of the period, and are no longer. */
  readonly formerlySilenced: readonly FormerExemption<ReportViolation>[]
  /** Changes that may have been made in change windows, the latest first. */
  readonly expected: readonly ExpectedChange[]
  /** Policies of earlier runs of the period, and the start of the last run of each. */
  readonly formerPolicies: readonly FormerPolicy[]
  /** Projects that earlier runs of the period scanned, and that are no longer known. */
  readonly formerProjects: readonly FormerProject[]
  /** Violations that were resolved within the period, before the run. */
  readonly resolvedBefore: readonly ControlViolation[]
  /** Violations that were waived within the period, also when they no longer are. */
  readonly waivedMeanwhile: readonly WaivedViolation[]
  /** Acceptances that ended within the period. */
  readonly formerAcceptances: readonly FormerAcceptance[]
}

const nothingGathered: GatheredFacts = {
  policy: unknownPolicy,
  scope: unknownScope,
  elsewhere: [],
  silenced: [],
  formerlySilenced: [],
  expected: [],
  formerPolicies: [],
  formerProjects: [],
  resolvedBefore: [],
  waivedMeanwhile: [],
  formerAcceptances: [],
}

export interface FormerPolicy {
  readonly rules: readonly EvaluatedRule[]
  readonly policy: PolicyFacts
  readonly until: string
}

export interface FormerAcceptance extends AcceptedViolation {
  readonly until: string
}

/** Assesses each control of a framework. Pure: the same report gives the same result today and in a year. */
export function composeCompliance(input: ComplianceInput): Compliance {
  const given = { ...nothingGathered, ...input }
  const { report, framework, policy, period, population, formerPolicies } = given
  const { run, verdict, coverage_of_fleet } = report
  const current = [...report.violations, ...given.elsewhere].map((one) => withDuration(one, run.started_at))
  const violations = [...current.sort(openFirst), ...given.resolvedBefore]
  const threshold = thresholdOf(verdict.fail_on)
  return {
    schema: 'hookdrift.compliance/3',
    framework: framework.id,
    title: framework.title,
    tool: report.tool,
    run,
    digests: report.digests,
    verify: 'hookdrift verify',
    ...(period === undefined ? {} : { period }),
    ...population,
    threshold,
    coverage_of_fleet,
    scope: {
      ...describeScope(given.scope, [policy, ...formerPolicies.map((former) => former.policy)], report),
      former: given.formerProjects,
    },
    expected_changes: given.expected,
    controls: framework.controls.map((control) => assessControl(control, { ...given, violations, threshold })),
  }
}

/** `policies`: of the run, then those of earlier runs of the period. */
function describeScope(
  scope: RunScope,
  policies: readonly [PolicyFacts, ...PolicyFacts[]],
  { projects }: Report,
): Omit<ComplianceScope, 'former'> {
  const { company, gateways, unscanned, schedules, schedule } = scope
  const [{ packs }] = policies
  const ignored = new Map(
    policies.toReversed().flatMap(({ ignored = [] }) => ignored.map((field) => [field.path, field.configured_at])),
  )
  return {
    company,
    gateways,
    projects: projects.map(({ project }) => project),
    unscanned,
    named_only: gateways.flatMap(({ service, projects: which }) => (which === 'named' ? [service] : [])),
    packs,
    ignored: [...ignored].sort().map(([path, configured_at]) => ({ path, configured_at })),
    schedules: schedules.map(({ intervalMs, ...rest }) => ({ ...rest, interval_ms: intervalMs })),
    schedule,
  }
}

/** What decides whether a violation counts: as for the run's exit code, or medium where that depends on other things. */
function thresholdOf(failOn: FailOn): Severity {
  return failOn === 'never' || failOn === 'new' ? leastNew : failOn
}

/** What a report holds for every control. */
type Evaluation = ComplianceInput &
  GatheredFacts & {
    readonly violations: readonly ControlViolation[]
    readonly threshold: Severity
  }

function assessControl(control: FrameworkControl, evaluation: Evaluation): ControlEvidence {
  const { report, framework, period, violations, waivedMeanwhile, formerPolicies, threshold } = evaluation
  const isNamed = ({ controls }: EvaluatedRule) => controls.includes(`${framework.id}:${control.id}`)
  const evaluated = report.rules.flatMap((rule) => {
    const rationale =
      rationaleFor(control, rule.id) ?? (isNamed(rule) ? 'The policy names it for this control.' : undefined)
    return rationale === undefined ? [] : [{ rule, rationale }]
  })
  const ids = new Set(evaluated.map(({ rule }) => rule.id))
  const formerlyNamed = new Set(formerPolicies.flatMap(({ rules }) => rules.filter(isNamed).map(({ id }) => id)))
  const isOfControl = ({ rule }: { readonly rule: string }) =>
    ids.has(rule) || rationaleFor(control, rule) !== undefined || formerlyNamed.has(rule)
  // What a rule found in a period is not undone by a policy that no longer has the rule.
  const ruleViolations = violations.filter(
    (violation) =>
      ids.has(violation.rule) || (period !== undefined && violation.state === 'resolved' && isOfControl(violation)),
  )
  const rules = evaluated.map(({ rule, rationale }) => describeRule(rule, rationale, report))
  const kinds = new Set(evaluated.flatMap(({ rule }) => rule.needs))
  const coverage = coverageOf(
    evaluated.map(({ rule }) => rule),
    report,
  )
  const accepted = report.accepted.filter(({ rule }) => ids.has(rule))
  const exemptions = exemptionsOf({ ...evaluation, ruleViolations, accepted, isOfControl })
  const open = ruleViolations.filter(isOpen)
  const counted = open.filter(({ severity }) => isAtLeast(severity, threshold))
  const observed = open.filter(({ severity }) => !isAtLeast(severity, threshold))
  const isCovered = control.evidence.length > 0
  const exceptions = period === undefined ? [] : exceptionsOf(ruleViolations, threshold)
  const [state, reason] = decideState({
    isCovered,
    rules,
    exceptions,
    open: counted,
    observations: observed,
    exemptions,
    threshold,
    isScanned: report.coverage.length > 0,
    gaps: [
      ...gapsOfWalks(coverage),
      ...gapsOfRules(report.gaps.filter(({ rule, listing }) => rule !== null && listing === null && ids.has(rule))),
      ...gapsOfViolations(ruleViolations.filter((violation) => violation.state === 'unknown').length),
    ],
    limits: [
      ...limitsOfFleet(report),
      ...limitsOfFilters(kinds, report),
      ...limitsOfPeriod(period),
      ...limitsOfPolicies(formerPolicies, ids),
    ],
  })
  const waivers = waiversOf([...ruleViolations, ...waivedMeanwhile.filter(isOfControl)])
  const { started_at: from, finished_at: to } = report.run
  return {
    id: control.id,
    title: control.title,
    state,
    reason,
    rules,
    violations: ruleViolations,
    waivers,
    accepted,
    exemptions,
    ...(exceptions.length === 0 ? {} : { exceptions }),
    observations: observed.length,
    evidence: state === 'not_covered' ? null : (period?.evidence ?? { from, to, share: null }),
    coverage,
  }
}

/** What was open within the period and no longer is at its end, however it ended. */
function exceptionsOf(violations: readonly ControlViolation[], threshold: Severity): readonly Exception[] {
  return violations.flatMap(({ rule, fingerprint, severity, first_seen, resolved_at, ended_by }) =>
    resolved_at === undefined || !isAtLeast(severity, threshold)
      ? []
      : [{ rule, fingerprint, opened_at: first_seen, ended_at: resolved_at, ended_by }],
  )
}

interface ExemptionFacts extends Evaluation {
  readonly ruleViolations: readonly ControlViolation[]
  readonly accepted: readonly AcceptedViolation[]
  isOfControl(one: { readonly rule: string }): boolean
}

/** What of a control's rules does not count, and who decided so; of a violation only the first that applies. */
function exemptionsOf(exempting: ExemptionFacts): readonly Exemption[] {
  const { ruleViolations, accepted, silenced, waivedMeanwhile, policy, isOfControl } = exempting
  const { formerPolicies, formerAcceptances, formerlySilenced } = exempting
  /** `resource`: null where only an earlier run knows it. */
  const exemptByWaiver = (
    { rule, fingerprint }: Pick<ControlViolation, 'rule' | 'fingerprint'>,
    waiver: Waiver,
    resource: Exemption['resource'],
  ): Exemption => ({ ...decisionOfWaiver(waiver, rule, policy), fingerprint, resource })
  const open = new Set(ruleViolations.filter(isOpen).map(({ fingerprint }) => fingerprint))
  const known = new Map([...silenced, ...ruleViolations].map((violation) => [violation.fingerprint, violation]))
  const ofViolations = [
    ...ruleViolations.flatMap((violation) =>
      violation.waiver === undefined ? [] : [exemptByWaiver(violation, violation.waiver, resourceOf(violation))],
    ),
    ...waivedMeanwhile.filter(isOfControl).map((violation) => {
      const reported = known.get(violation.fingerprint)
      const resource = reported === undefined ? null : resourceOf(reported)
      return exemptByWaiver(violation, violation.waiver, resource)
    }),
    ...accepted.map(exemptByAcceptance),
    ...formerAcceptances.filter(isOfControl).map((former) => {
      const exemption = exemptByAcceptance(former)
      const reported = known.get(former.fingerprint)
      const resource = reported === undefined ? exemption.resource : resourceOf(reported)
      return { ...exemption, until: former.until, resource }
    }),
    ...ruleViolations.filter(isEndedOnly).map(exemptByEnding),
    ...silenced
      .filter((violation) => isOfControl(violation) && !open.has(violation.fingerprint))
      .filter(isEndedOnly)
      .map(exemptByEnding),
    ...formerlySilenced
      .filter(isOfControl)
      .filter(isEndedOnly)
      .map((violation) => ({ ...exemptByEnding(violation), until: violation.until })),
  ]
  const keys = new Set<string | null>()
  const distinct = ofViolations.filter(({ kind, fingerprint }) => {
    const key = `${kind} ${fingerprint}`
    const isNew = !keys.has(key)
    keys.add(key)
    return isNew
  })
  return [...distinct, ...exemptionsOfPolicies(distinct, { policy, formerPolicies, isOfControl })]
}

/** A line of the policy that ended a violation of the report is named with it. */
function exemptionsOfPolicies(
  ofViolations: readonly Exemption[],
  { policy, formerPolicies, isOfControl }: Pick<ExemptionFacts, 'policy' | 'formerPolicies' | 'isOfControl'>,
): readonly Exemption[] {
  const lineOf = ({ kind, rule, configured_at }: Exemption) =>
    canonicalJson([kind, rule, configured_at && { ...configured_at }])
  const named = new Set(ofViolations.map(lineOf))
  const keyOf = ({ kind, rule, setting, match }: PolicyException) => canonicalJson([kind, rule, setting, match])
  const today = new Set(policy.exceptions.map(keyOf))
  /** Until the start of the last run of which an earlier policy said so. */
  const former = new Map<string, Exemption>()
  for (const { policy: earlier, until } of formerPolicies) {
    for (const exception of earlier.exceptions) {
      if (!today.has(keyOf(exception))) former.set(keyOf(exception), { ...exemptByPolicy(exception), until })
    }
  }
  const all = [...policy.exceptions.map(exemptByPolicy), ...former.values()]
  return all.filter((exemption) => isOfControl(exemption) && !named.has(lineOf(exemption)))
}

interface Assessment {
  /** Whether the framework maps rules to the control, in force or not. */
  readonly isCovered: boolean
  readonly rules: readonly ControlRule[]
  /** Open violations that decide, and those below the threshold. */
  readonly open: readonly ControlViolation[]
  readonly observations: readonly ControlViolation[]
  readonly exemptions: readonly Exemption[]
  readonly exceptions: readonly Exception[]
  readonly threshold: Severity
  /** Whether the run walked anything: for readers of some projects, anything of these. */
  readonly isScanned: boolean
  /** What the run did not observe of what it was to observe, a sentence each. */
  readonly gaps: readonly string[]
  /** What the run was not to observe, or no run observed, a sentence each. */
  readonly limits: readonly string[]
}

function decideState(assessment: Assessment): [state: ControlState, reason: string] {
  const { isCovered, rules, open, observations, exemptions, exceptions, threshold, isScanned, gaps, limits } =
    assessment
  if (rules.length === 0) {
    return isCovered
      ? ['not_assessed', 'The policy turns off every rule that gives evidence for it.']
      : ['not_covered', 'No rule gives evidence for it.']
  }
  const besides = describeBesides({ exemptions: exemptions.length, observations: observations.length })
  if (open.length > 0) {
    const severe = `${count(open.length, 'open violation')} (${countEach(severities, countSeverities(open))})`
    return ['not_met', [`${severe}${besides}.`, ...limits].join(' ')]
  }
  if (!isScanned) return ['not_assessed', 'The run scanned nothing of what its rules evaluate.']
  if (gaps.length + limits.length === 0) {
    const which = observations.length === 0 ? 'No open violation' : `No open violation at ${threshold} or above`
    const met = `${which}${besides}, and the run observed everything that its rules evaluate.`
    if (exceptions.length === 0) return ['met', met]
    return ['met_with_exceptions', `${met} ${count(exceptions.length, 'violation')} had been open in the period.`]
  }
  const isAnyEvaluated = gaps.length === 0 || rules.some(({ evaluated }) => evaluated > 0)
  const nothingOpen = besides === '' ? '' : ` No open violation at ${threshold} or above${besides}.`
  return [isAnyEvaluated ? 'partially_assessed' : 'not_assessed', `${[...gaps, ...limits].join(' ')}${nothingOpen}`]
}

function gapsOfWalks({ gaps }: ControlEvidence['coverage']): string[] {
  if (gaps.length === 0) return []
  if (gaps.length === 1) return ['1 listing of what its rules evaluate was not complete.']
  return [`${gaps.length} listings of what its rules evaluate were not complete.`]
}

/** What its rules could not evaluate, a sentence each. */
function gapsOfRules(gaps: readonly Gap[]): string[] {
  const sentences = groupGaps(gaps).map(({ text, projects }) => `${text} (${listed(projects)}).`)
  const omitted = sentences.length - mostSentences
  return [...sentences.slice(0, mostSentences), ...(omitted > 0 ? [`${count(omitted, 'more gap')}.`] : [])]
}

const mostSentences = 3

/** How well the run observed what a control's rules evaluate. */
function coverageOf(rules: Report['rules'], { coverage, gaps }: Pick<Report, 'coverage' | 'gaps'>): ControlCoverage {
  const unlisted = rules.flatMap(({ id }) => gapsOfRule(gaps, id).flatMap(unreadListing))
  const kinds = new Set(rules.flatMap(({ needs }) => needs))
  const byProject = [...Map.groupBy(coverage, ({ project }) => project)]
  // Of projects that a list did not show, nothing is known, for any rule.
  const lists = kinds.size === 0 ? [] : coverage.filter((walk) => walk.listing === 'projects' && isGap(walk))
  const relevantWalks = [...lists, ...byProject.flatMap(([, walks]) => walksFor(kinds, walks))]
  const ofWalks = relevantWalks.filter(isGap).map(({ project, listing, status, reason }) => {
    return { project, listing, status, reason }
  })
  const isUnwalked = (one: ControlGap) =>
    !ofWalks.some(({ project, listing }) => project === one.project && listing === one.listing)
  return {
    walks: relevantWalks.length,
    complete: relevantWalks.length - relevantWalks.filter(isGap).length,
    pages: sum(relevantWalks.map(({ pages }) => pages)),
    items: sum(relevantWalks.map(({ items }) => items)),
    duration_ms: sum(relevantWalks.map(({ duration_ms }) => duration_ms)),
    gaps: [
      ...ofWalks,
      ...new Map(unlisted.map((one) => [`${one.project} ${one.listing}`, one])).values().filter(isUnwalked),
    ],
  }
}

/** A listing that was not read at all, of a gap of a rule that needs it. */
function unreadListing({ project, listing, cause }: Gap): ControlGap[] {
  if (listing === null) return []
  const reason = cause === 'listing_off' ? 'the configuration does not request it' : 'the service does not offer it'
  return [{ project, listing, status: 'skipped', reason }]
}

function gapsOfViolations(unknown: number): string[] {
  if (unknown === 0) return []
  return [`The run did not check ${count(unknown, 'violation')} that ${unknown === 1 ? 'was' : 'were'} open before.`]
}

function limitsOfFleet({ coverage_of_fleet: { scanned, known } }: Report): string[] {
  return scanned >= known ? [] : [`${scanned} of ${count(known, 'known project')} scanned in this run.`]
}

/** What a filter of the configuration leaves out is not audited. */
function limitsOfFilters(kinds: ReadonlySet<Kind>, { coverage }: Report): string[] {
  const byProject = [...Map.groupBy(coverage, ({ project }) => project).values()]
  const narrowed = byProject.flatMap((walks) => walksFor(kinds, walks)).filter(({ filter }) => filter !== null)
  if (narrowed.length === 0) return []
  return [`A filter of the configuration narrowed ${count(narrowed.length, 'listing')} of what its rules evaluate.`]
}

/** What an incomplete run did not read, no run saw; nor did a run of other projects see it. */
function limitsOfPeriod(period: CompliancePeriod | undefined): string[] {
  if (period === undefined) return []
  const { gaps, most_gap_ms, longest_gap, longest_incomplete } = period
  const [most, longest] = [showOpenTime(most_gap_ms), showOpenTime(longest_gap.ms)]
  const withoutRun = [
    ...(gaps === 1 ? [`The period has a gap of ${longest} without a run, longer than ${most}.`] : []),
    ...(gaps > 1 ? [`The period has ${gaps} gaps without a run longer than ${most}; the longest is ${longest}.`] : []),
  ]
  const { ms } = longest_incomplete
  if (ms <= most_gap_ms || ms <= longest_gap.ms) return withoutRun
  return [
    ...withoutRun,
    `The period has a time of ${showOpenTime(ms)} without a complete scan of every project, longer than ${most}.`,
  ]
}

/** `ids`: the rules of the control in the last run. Under a policy with none of them, no run evaluated anything. */
function limitsOfPolicies(formerPolicies: readonly FormerPolicy[], ids: ReadonlySet<string>): string[] {
  const without = formerPolicies.filter(({ rules }) => !rules.some(({ id }) => ids.has(id)))
  const last = without
    .map(({ until }) => until)
    .sort()
    .at(-1)
  return last === undefined ? [] : [`Until ${minuteOf(last)}, runs evaluated a policy with none of its rules.`]
}

function describeRule({ id, title, severity, kind }: EvaluatedRule, rationale: string, report: Report): ControlRule {
  const gaps = gapsOfRule(report.gaps, id)
  const evaluated = report.projects
    .filter(({ project }) => !isSilenced(gaps, id, project))
    .reduce(
      (sum, { evaluated_by_rule, resources }) => sum + (memberOf(evaluated_by_rule, id) ?? resources[kind] ?? 0),
      0,
    )
  const not_evaluated = gaps.map(({ project, text }) => ({ project, reason: text }))
  return { id, title, severity, rationale, evaluated, not_evaluated }
}

/** What a reader must act on comes first; within a state, the order stays that of reports. */
function openFirst(a: ControlViolation, b: ControlViolation): number {
  return rankOf(a) - rankOf(b)
}

function rankOf(violation: ControlViolation): number {
  if (isOpen(violation)) return 0
  return { unknown: 1, waived: 2, resolved: 3, opened: 0, continuing: 0 }[violation.state]
}

function withDuration(violation: ReportViolation, at: string): ControlViolation {
  const open_ms = Math.max(0, Date.parse(at) - Date.parse(violation.first_seen))
  return violation.state === 'resolved' ? { ...violation, resolved_at: at, open_ms } : { ...violation, open_ms }
}

function waiversOf(violations: readonly (Pick<ControlViolation, 'fingerprint' | 'rule'> & { waiver?: Waiver })[]) {
  const accepted = new Map<string, { waiver: Omit<ControlWaiver, 'violations'>; fingerprints: Set<string> }>()
  for (const { fingerprint, rule, waiver } of violations) {
    if (waiver === undefined) continue
    const key = canonicalJson([rule, { ...waiver }])
    const entry = accepted.get(key) ?? { waiver: { ...waiver, rule }, fingerprints: new Set() }
    accepted.set(key, entry)
    entry.fingerprints.add(fingerprint)
  }
  return [...accepted.values()].map(({ waiver, fingerprints }) => ({ ...waiver, violations: fingerprints.size }))
}

function isGap(walk: ReportCoverage): walk is ReportCoverage & Pick<ControlGap, 'status'> {
  return walk.status !== 'complete'
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A rule that the policy switches off or overrides, whether it would find anything or not. */
function exemptByPolicy(exception: PolicyException): Exemption {
  return { ...decisionOfPolicy(exception), fingerprint: null, resource: null }
}

function exemptByAcceptance(accepted: AcceptedViolation): Exemption {
  const { rule, fingerprint, by, reason, at } = accepted
  return { kind: 'acceptance', rule, fingerprint, ...unsaid, by, reason, at, resource: resourceOf(accepted) }
}

/** The exemption of a violation that a person or the policy ended: what it reports is still there. */
function exemptByEnding(violation: EndedViolation): Exemption {
  const { rule, fingerprint, resolution, ended_by } = violation
  const resource = resourceOf(violation)
  // Where it is not known who ended it, it is not fixed all the same.
  if (ended_by === null) return { kind: usualKinds[resolution], rule, fingerprint, ...unsaid, resource }
  const { kind, by, reason, at, run, configured_at } = ended_by
  const known = { by, reason, at, configured_at, resource }
  return { kind, rule, fingerprint, ...unsaid, ...known, ...(run === null ? {} : { run }) }
}

type ExemptResolution = Exclude<Resolution, 'fixed' | 'removed'>

type EndedViolation = Pick<
  ReportViolation,
  'rule' | 'fingerprint' | 'ended_by' | 'project' | 'kind' | 'uid' | 'name' | 'severity' | 'message'
> & { readonly resolution: ExemptResolution }

const usualKinds = { accepted: 'acceptance', policy: 'rule_off', expired: 'expiry' } as const satisfies Record<
  ExemptResolution,
  Exemption['kind']
>

/** Whether a violation ended although what it reports is still there. */
function isEndedOnly<Violation extends Pick<ReportViolation, 'state' | 'resolution'>>(
  violation: Violation,
): violation is Violation & { readonly resolution: ExemptResolution } {
  const { state, resolution } = violation
  return state === 'resolved' && resolution !== null && !isSolved(resolution)
}

function resourceOf({
  project,
  kind,
  uid,
  name,
  severity,
  message,
}: NonNullable<Exemption['resource']>): NonNullable<Exemption['resource']> {
  return { project, kind, uid, name, severity, message }
}
