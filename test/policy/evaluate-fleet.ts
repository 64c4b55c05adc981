import type { ProjectRef } from '../../src/model/resource.ts'
import { concludeFleetRules } from '../../src/policy/conclude-fleet-rules.ts'
import { readDoubts } from '../../src/policy/doubts.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { ProjectEvaluator } from '../../src/policy/project-evaluator.ts'
import type { Labels } from '../../src/policy/selector.ts'

/** Evaluates several projects as a run would, each by an evaluator of its own, in the order in which they are named. */
export function evaluateFleet(
  policy: Policy,
  now = 0,
  labelsOf?: (project: ProjectRef) => Labels,
  clock?: () => number,
) {
  const evaluator = createEvaluator(policy, now, labelsOf, clock)
  const projects = new Map<string, ProjectEvaluator>()
  const of = (project: ProjectRef) => {
    const known = projects.get(project.name) ?? evaluator.forProject(project)
    projects.set(project.name, known)
    return known
  }
  // What is left for the end of a run goes through JSON, as it may between processes.
  const evaluated = () =>
    [...projects.values()].map((one) => ({
      project: one.project,
      labels: labelsOf?.(one.project) ?? {},
      evaluation: JSON.parse(JSON.stringify(one.outcome())),
    }))
  return {
    of,
    needs: evaluator.needs,
    evaluateOverdue: evaluator.evaluateOverdue,
    evaluated,
    concludeFleet: () => concludeFleetRules(evaluated(), policy, now),
    doubtsIn(project: ProjectRef) {
      const { blurred } = concludeFleetRules(evaluated(), policy, now)
      return readDoubts(of(project).outcome().doubts, blurred)
    },
  }
}
