import type { EvaluatedRule, ReportProject } from '../model/evaluation.ts'
import { type Gap, gapsOfRule, isSilent } from '../model/gap.ts'
import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import { isWithoutResources } from '../model/resource.ts'
import { count } from '../model/text/count.ts'
import { cut, neutralise } from '../model/text/neutralise.ts'
import { isOpen } from '../model/violation.ts'
import { describeDue } from './describe-due.ts'
import { describeEnding, describeWaiver, nameEnding } from './describe-ending.ts'
import { countEvaluated, rulesOf } from './evaluated-rules.ts'
import { describeSeen, gapsFor, isGap } from './gaps.ts'
import { locateProjects } from './locate-projects.ts'
import type { ReportFormat } from './report-format.ts'
import { failsRunOf, losesRunOf } from './verdict.ts'

/** JUnit XML, for CI: a suite for each project, in it a case for each walk and each rule. */
export const junit: ReportFormat = (report) => {
  const suites = suitesOf(report)
  const name = `hookdrift run ${report.run.number}`
  const ran = { time: secondsOf(report.coverage), timestamp: report.run.started_at }
  const root = element('testsuites', { name, ...totals(suites.flatMap(({ cases }) => cases)), ...ran }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}\n`
}

function suitesOf(report: Report): readonly (Xml & { readonly cases: readonly Case[] })[] {
  const rules = rulesOf(report)
  const at = report.run.started_at
  const fails = failsRunOf(report)
  const loses = losesRunOf(report)
  const walksOf = Map.groupBy(report.coverage, ({ project }) => project)
  const violationsOf = Map.groupBy(report.violations, ({ project }) => project)
  const gapsOf = Map.groupBy(report.gaps, ({ project }) => project)
  const positionOf = locateProjects(report.projects)
  const statsByProject = new Map(report.projects.map((stats) => [stats.project, stats]))
  const names = [...new Set([...walksOf.keys(), ...statsByProject.keys(), ...violationsOf.keys()])].sort()
  return names.map((project) => {
    const walks = walksOf.get(project) ?? []
    const byRule = Map.groupBy(violationsOf.get(project) ?? [], ({ rule }: ReportViolation) => rule)
    const stats = statsByProject.get(project)
    const gaps = gapsOf.get(project) ?? []
    // Forges link a case to the line that configures its project.
    const attributesOf: AttributesOf = (name, time) => ({ classname: project, name, ...positionOf(project), time })
    const cases = [
      ...walks.map((walk) => walkCase(walk, attributesOf)),
      // Rules about the policy have cases for what they found alone: whether they could decide is not recorded. So have
      // rules about a list of projects, which has no resources.
      ...rules
        .filter(({ id, kind }) => byRule.has(id) || (kind !== 'policy' && !isWithoutResources(project)))
        .map((rule) =>
          ruleCase(
            {
              attributesOf,
              rule,
              violations: byRule.get(rule.id) ?? [],
              walks,
              stats,
              gaps: gapsOfRule(gaps, rule.id),
              at,
            },
            fails,
            loses,
          ),
        ),
    ]
    const attributes = { name: project, ...totals(cases), time: secondsOf(walks), timestamp: report.run.started_at }
    return { cases, ...element('testsuite', attributes, [properties(report), ...cases]) }
  })
}

function totals(cases: readonly Case[]) {
  const ofOutcome = (outcome: Case['outcome']) => cases.filter((one) => one.outcome === outcome).length
  return {
    tests: cases.length,
    failures: ofOutcome('failed'),
    errors: ofOutcome('error'),
    skipped: ofOutcome('skipped'),
  }
}

function secondsOf(walks: readonly ReportCoverage[]): string {
  return (walks.reduce((sum, { duration_ms }) => sum + duration_ms, 0) / 1000).toFixed(3)
}

function properties({ run, verdict, digests }: Report): Xml {
  const values = {
    run: run.number,
    exit_code: verdict.exit_code,
    verdict: verdict.text,
    fail_on: verdict.fail_on,
    policy: digests.policy,
    configuration: digests.configuration,
  }
  const entries = Object.entries(values).map(([name, value]) => element('property', { name, value }))
  return element('properties', {}, entries)
}

/** The case of a walk: an error when it was not complete. */
function walkCase(walk: ReportCoverage, attributesOf: AttributesOf): Case {
  const { listing, status, reason, filter } = walk
  const attributes = attributesOf(`walk ${listing}`, secondsOf([walk]))
  const narrowed = filter === null ? '' : `, only those with ${filter}`
  const output = element('system-out', {}, text([`${describeSeen(walk)}${narrowed}`]))
  if (status === 'skipped')
    return testCase('skipped', attributes, [element('skipped', { message: reason ?? '' }), output])
  if (!isGap(walk)) return testCase('passed', attributes, [output])
  return testCase('error', attributes, [element('error', { message: `${status}: ${reason}`, type: status }), output])
}

/** A rule in a project: what it evaluated there and its violations. */
interface RuleCaseInput {
  readonly attributesOf: AttributesOf
  readonly rule: EvaluatedRule
  readonly violations: readonly ReportViolation[]
  readonly walks: readonly ReportCoverage[]
  /** undefined for runs older than this record. */
  readonly stats: ReportProject | undefined
  /** What the rule could not evaluate there. */
  readonly gaps: readonly Gap[]
  /** When the run began: ISO 8601 in UTC. */
  readonly at: string
}

type Decide = (violation: ReportViolation) => boolean

/**
 * Fails for violations that fail the run; is an error for those that would, and could not be checked; is skipped for other
 * unknown ones and waived ones; passes otherwise.
 */
function ruleCase(input: RuleCaseInput, fails: Decide, loses: Decide): Case {
  const { attributesOf, rule, violations, at } = input
  const failing = violations.filter(fails)
  const [worst] = failing
  const others = violations
    .filter((violation) => !failing.includes(violation))
    .flatMap((violation) => describeWithWaiver(violation, at))
  const output = element('system-out', {}, text([describeEvaluated(input), ...others]))
  // Rules are evaluated while pages pass: their time is in that of the walks.
  const attributes = attributesOf(rule.id, '0.000')
  if (worst !== undefined) {
    const message = `${count(failing.length, 'open violation')}, the worst ${worst.severity}: ${rule.title}`
    const failure = element(
      'failure',
      { message, type: worst.severity },
      text(failing.map((violation) => describeViolation(violation, at))),
    )
    return testCase('failed', attributes, [failure, output])
  }
  const lost = violations.filter(loses).length
  if (lost > 0) {
    const message = `${count(lost, 'violation')} that would fail the run could not be checked`
    return testCase('error', attributes, [element('error', { message, type: 'unknown' }), output])
  }
  const skipped = whySkipped(input)
  if (skipped === undefined) return testCase('passed', attributes, [output])
  return testCase('skipped', attributes, [element('skipped', { message: skipped }), output])
}

/** undefined when the rule evaluated everything and only milder violations are open. */
function whySkipped({ rule, violations, walks, stats, gaps }: RuleCaseInput): string | undefined {
  const reasons = gapsFor(rule, walks).map(({ listing, status }) => `the walk of ${listing} is ${status}`)
  const unknown = violations.filter(({ state }) => state === 'unknown')
  if (unknown.length > 0) reasons.unshift(`${count(unknown.length, 'violation')} not checked`)
  if (stats !== undefined) reasons.push(...whyUnchecked(rule, stats, gaps))
  if (reasons.length > 0) return `unknown: ${reasons.join('; ')}`
  const waived = violations.filter(({ state }) => state === 'waived')
  if (waived.length === 0 || violations.some(isOpen)) return undefined
  return [
    ...new Set(waived.map(({ waiver }) => (waiver === undefined ? 'waived' : cut(describeWaiver(waiver), 1200)))),
  ].join('; ')
}

/** What a rule did not evaluate in a project whose walks are complete. */
function whyUnchecked(rule: EvaluatedRule, stats: ReportProject, gaps: readonly Gap[]): readonly string[] {
  const texts = gaps.map(({ text }) => text)
  if (gaps.some(isSilent)) return texts
  // No walk covers probes: where none ran, the result is unknown.
  const isIdle = rule.kind === 'probe' && countEvaluated(rule, stats, gaps) === 0
  return [...(isIdle ? ['no probe ran'] : []), ...texts]
}

function describeEvaluated({ rule, stats, gaps }: RuleCaseInput): string {
  return stats === undefined
    ? 'the run has no record of what it evaluated'
    : `evaluated ${count(countEvaluated(rule, stats, gaps), rule.kind)}`
}

/** Severity, uid, message, state and due date. */
function describeViolation(violation: ReportViolation, at: string): string {
  const { severity, uid, message, state, first_seen, last_seen } = violation
  const since = state === 'continuing' ? ` since ${first_seen}` : state === 'unknown' ? `, last seen ${last_seen}` : ''
  const due = describeDue(violation, at)
  const word = state === 'resolved' ? nameEnding(violation) : state
  return `${severity} ${cut(uid, 200)} ${cut(message)} (${word}${since}${due === '' ? '' : `, ${due}`})`
}

function describeWithWaiver(violation: ReportViolation, at: string): string[] {
  const { waiver, ended_by: by } = violation
  return [
    describeViolation(violation, at),
    ...(waiver === undefined ? [] : [`  ${cut(describeWaiver(waiver), 1200)}`]),
    ...(by === null ? [] : [`  ${cut(describeEnding(violation), 1200)}`]),
  ]
}

/** The attributes of a case of a project, by its name and its seconds. */
type AttributesOf = (name: string, time: string) => Attributes

type Attributes = Readonly<Record<string, string | number>>

/** A test case with its outcome, for the totals. */
interface Case {
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'error'
  readonly xml: string
}

function testCase(outcome: Case['outcome'], attributes: Attributes, children: readonly Xml[]): Case {
  return { outcome, ...element('testcase', attributes, children) }
}

/** XML that is safe to write. Only `element` and `text` make it. */
interface Xml {
  readonly xml: string
}

/** Each child is on a line of its own; text is put between the tags without line breaks. */
function element(name: string, attributes: Attributes, children: readonly Xml[] | Xml = []): Xml {
  const start = `<${name}${Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
    .join('')}`
  if ('xml' in children) return { xml: `${start}>${children.xml}</${name}>` }
  if (children.length === 0) return { xml: `${start}/>` }
  return { xml: `${start}>\n${children.map(({ xml }) => xml).join('\n')}\n</${name}>` }
}

/** Lines of text. */
function text(lines: readonly string[]): Xml {
  return { xml: lines.map(escapeXml).join('\n') }
}

/** XML cannot contain most controls and two non-characters, so they become visible, like all invisible characters. */
function escapeXml(value: string): string {
  return neutralise(cut(value, 5000)).replace(/[&<>"'\ufffe\uffff]/g, (character) => entities[character] ?? '')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\ufffe': '\\ufffe',
  '\uffff': '\\uffff',
}
