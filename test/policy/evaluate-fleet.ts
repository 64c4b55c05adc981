import type { ProjectRef, Resource } from '../../src/model/resource.ts'
import type { Finding } from '../../src/model/violation.ts'
import { concludeFleetRules } from '../../src/policy/conclude-fleet-rules.ts'
import { readDoubts } from '../../src/policy/doubts.ts'
import type { ProjectEvaluator } from '../../src/policy/evaluate-project.ts'
import { createEvaluator } from '../../src/policy/evaluator.ts'
import type { FindCollected } from '../../src/policy/find-collected.ts'
import type { Policy } from '../../src/policy/policy.ts'
import type { Labels } from '../../src/policy/selector.ts'
import type { Completeness } from '../../src/rules/engine/rule.ts'

/** Finds by itself what it collected. */
interface CollectingEvaluator extends Omit<ProjectEvaluator, 'conclude'> {
  conclude(completeness: Completeness): Promise<Finding[]>
}

/** Evaluates several projects as a run would, each by an evaluator of its own, in the order in which they are named. */
export function evaluateFleet(
  policy: Policy,
  now = 0,
  labelsOf?: (project: ProjectRef) => Labels,
  clock?: () => number,
) {
  const evaluator = createEvaluator(policy, now, labelsOf, clock)
  const projects = new Map<string, CollectingEvaluator>()
  const collected = new Map<string, Resource[]>()
  const of = (project: ProjectRef): CollectingEvaluator => {
    const known = projects.get(project.name) ?? remembering(evaluator.forProject(project))
    projects.set(project.name, known)
    return known
  }
  const remembering = (one: ProjectEvaluator): CollectingEvaluator => {
    const all: Resource[] = []
    collected.set(one.project.name, all)
    return {
      ...one,
      conclude: (completeness) => one.conclude(completeness, find),
      evaluate(resource, since) {
        all.push(resource)
        return one.evaluate(resource, since)
      },
    }
  }
  const find: FindCollected = async ({ name }, places) => places.flatMap((place) => collected.get(name)?.[place] ?? [])
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
    find,
    concludeFleet: () => concludeFleetRules(evaluated(), { policy, now, find }),
    async doubtsIn(project: ProjectRef) {
      const { blurred } = await concludeFleetRules(evaluated(), { policy, now, find })
      return readDoubts(of(project).outcome().doubts, blurred)
    },
  }
}
