import type { RunContext } from '../history/records.ts'
import type { JudgedProject } from '../model/judging.ts'
import type { ProjectRef } from '../model/resource.ts'
import type { Judge } from '../policy/judge.ts'
import { namedRules, type Policy } from '../policy/policy.ts'
import { controlsOf } from '../rules/controls.ts'
import { remedies } from '../rules/remedies.ts'

interface Configured extends Pick<JudgedProject, 'labels' | 'place'> {
  readonly ref: ProjectRef
}

/** What a reader of the record needs to know of the policy and the configuration of then. */
export function describeContext(
  { policy, projects }: { readonly policy: Policy; readonly projects: readonly Configured[] },
  judge: Judge,
): RunContext {
  const rules = namedRules(policy).map(({ rule, severity }) => ({
    id: rule.id,
    kind: rule.kind,
    title: rule.title,
    remedy: rule.custom?.remedy ?? remedies.get(rule.id) ?? '',
    severity: severity ?? rule.severity,
    controls: [...new Set([...controlsOf(rule.id), ...(rule.custom?.controls ?? [])])],
    needs: rule.needs,
  }))
  const looked = projects.map(({ ref, labels, place }) => ({
    project: ref.name,
    labels,
    place,
    ...judge.judgedIn(ref),
  }))
  return {
    rules: rules.sort((a, b) => (a.id < b.id ? -1 : 1)),
    projects: looked.sort((a, b) => (a.project < b.project ? -1 : 1)),
  }
}
