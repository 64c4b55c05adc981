import type { EvaluatedRule } from '../model/evaluation.ts'
import { neutraliseJson } from '../text/neutralise.ts'
import { rulesOf } from './evaluated-rules.ts'
import { gapsOf } from './gaps.ts'
import {
  assessmentResults,
  controlToken,
  inventoryOf,
  observeGap,
  observeUnevaluated,
  observeViolation,
  property,
} from './oscal-results.ts'
import type { ReportFormat } from './report-format.ts'

/**
 * OSCAL assessment results, for auditors' tools: an observation for each violation, and for each incomplete walk and
 * unevaluated rule.
 */
export const oscal: ReportFormat = (report) => {
  const { run, tool, digests, verdict, violations, coverage, projects } = report
  const rules = rulesOf(report)
  const seed = digests.chain ?? JSON.stringify([run.number, run.started_at, digests.policy, digests.configuration])
  const context = { seed, collected: run.finished_at, rules: new Map(rules.map((rule) => [rule.id, rule])) }
  const observations = [
    ...gapsOf(coverage).map((walk) => observeGap(walk, context)),
    ...projects.flatMap((project) => observeUnevaluated(project, context)),
    ...violations.map((violation) => observeViolation(violation, context)),
  ]
  const inventory = inventoryOf(violations, seed)
  const title = `hookdrift run ${run.number}`
  const document = assessmentResults({
    seed,
    title,
    run,
    tool,
    digests,
    inventory,
    observations,
    head: {
      title,
      description: verdict.text,
      start: run.started_at,
      end: run.finished_at,
      props: [
        ...property('exit-code', String(verdict.exit_code)),
        ...property('policy', digests.policy),
        ...property('configuration', digests.configuration),
        ...property('chain', digests.chain ?? undefined),
      ],
    },
    selection: selectionOf(rules),
  })
  return `${neutraliseJson(JSON.stringify(document))}\n`
}

/** The controls that rules give evidence for, as OSCAL identifiers: `soc2_CC6.1`. */
function selectionOf(rules: readonly EvaluatedRule[]) {
  const controls = [...new Set(rules.flatMap((rule) => rule.controls))].sort()
  const ids = controls.map(controlToken)
  const description = 'Controls that the rules of the policy give evidence for.'
  if (ids.length === 0) return { description }
  return { description, 'include-controls': ids.map((id) => ({ 'control-id': id })) }
}
