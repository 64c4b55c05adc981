import type { Report, ReportCoverage, ReportViolation } from '../model/report.ts'
import { policyProject } from '../model/resource.ts'
import { rulesOf } from './evaluated-rules.ts'
import type { Case } from './junit/case.ts'
import { ruleCase } from './junit/rule-case.ts'
import { walkCase } from './junit/walk-case.ts'
import { element, type Xml } from './junit/xml.ts'
import type { ReportFormat } from './report-format.ts'
import { failsRunOf } from './verdict.ts'

/** JUnit XML, for CI: a suite for each project, in it a case for each walk and each rule. */
export const junit: ReportFormat = (report) => {
  const suites = suitesOf(report)
  const name = `hookdrift run ${report.run.number}`
  const root = element('testsuites', { name, ...totals(suites.flatMap(({ cases }) => cases)) }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root.xml}\n`
}

function suitesOf(report: Report): readonly (Xml & { readonly cases: readonly Case[] })[] {
  const rules = rulesOf(report)
  const at = report.run.started_at
  const fails = failsRunOf(report)
  const walksOf = Map.groupBy(report.coverage, ({ project }) => project)
  const violationsOf = Map.groupBy(report.violations, ({ project }) => project)
  const statsByProject = new Map(report.projects.map((stats) => [stats.project, stats]))
  const names = [...new Set([...walksOf.keys(), ...statsByProject.keys(), ...violationsOf.keys()])].sort()
  return names.map((project) => {
    const walks = walksOf.get(project) ?? []
    const byRule = Map.groupBy(violationsOf.get(project) ?? [], ({ rule }: ReportViolation) => rule)
    const stats = statsByProject.get(project)
    const cases = [
      ...walks.map(walkCase),
      // Rules about the policy have cases in the policy's own suite only, other rules in all others.
      ...rules
        .filter(({ id, kind }) => byRule.has(id) || (kind === 'policy') === (project === policyProject.name))
        .map((rule) => ruleCase({ project, rule, violations: byRule.get(rule.id) ?? [], walks, stats, at }, fails)),
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
