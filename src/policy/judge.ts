import { messageOf } from '../model/errors.ts'
import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { Finding } from '../model/violation.ts'
import type { BoundRule, Fold, LocatedProblem, Looked, Place, Problem } from '../rules/rule.ts'
import type { ActiveRule, Policy } from './policy.ts'

/** Judges resources as they pass, in the order of walking; rules across resources answer at the end. */
export interface Judge {
  visit(project: ProjectRef, resource: Resource): Finding[]
  /** What rules across a project found. Forgets the project's resources. */
  concludeProject(project: ProjectRef, looked: Looked): Finding[]
  /** What rules across all projects found. */
  concludeFleet(looked: Looked): readonly LocatedFinding[]
  /** Rules that could not judge a project, and why: their silence means nothing there. */
  failuresIn(project: ProjectRef): ReadonlyMap<string, string>
  /** Leaves a project's resources out of what is still to be concluded. */
  forget(project: ProjectRef): void
  /** What a rule needs to see completely before its silence means anything; undefined when the policy has it off. */
  needsOf(
    rule: string,
  ): { readonly kinds: readonly Kind[]; readonly scope: 'resource' | 'project' | 'fleet' } | undefined
}

export interface LocatedFinding {
  readonly project: ProjectRef
  readonly finding: Finding
}

interface RunningFold {
  readonly active: ActiveRule
  readonly visits: readonly Kind[]
  readonly fold: Fold
}

/** `now`: milliseconds since the epoch, one for the whole run. */
export function startJudge(policy: Policy, now: number): Judge {
  const single = Map.groupBy(
    policy.rules.flatMap((active) => (active.bound.scope === 'resource' ? [{ active, bound: active.bound }] : [])),
    ({ active }) => active.rule.kind,
  )
  const fleetFolds = startFolds(policy, 'fleet')
  const projectFolds = new Map<string, readonly RunningFold[]>()
  const forgotten = new Set<string>()
  const failures = new Map<string, Map<string, string>>()
  const everywhere = ''
  const active = new Map(policy.rules.map(({ rule }) => [rule.id, { kinds: rule.needs, scope: rule.scope }]))

  const foldsOf = (project: ProjectRef): readonly RunningFold[] => {
    const folds = projectFolds.get(project.name) ?? startFolds(policy, 'project')
    projectFolds.set(project.name, folds)
    return folds
  }

  /** A rule that throws, whatever it was given, must cost neither the run nor a resolution. */
  const guarded = <T>(where: string, rule: string, judge: () => T[]): T[] => {
    try {
      return judge()
    } catch (error) {
      const known = failures.get(where) ?? new Map<string, string>()
      failures.set(where, known.set(rule, messageOf(error)))
      return []
    }
  }

  return {
    visit(project, resource) {
      const findings: Finding[] = []
      for (const { active, bound } of single.get(resource.kind) ?? []) {
        const problems = guarded(project.name, active.rule.id, () => [...bound.check(resource, now)])
        for (const problem of problems) findings.push(stamp(active, resource, problem))
      }
      const place: Place = { project, kind: resource.kind, uid: resource.uid, name: resource.name }
      const pass = (where: string, { active, visits, fold }: RunningFold) => {
        if (!visits.includes(resource.kind)) return
        guarded(where, active.rule.id, () => {
          fold.visit(resource, place)
          return []
        })
      }
      for (const fold of fleetFolds) pass(everywhere, fold)
      for (const fold of foldsOf(project)) pass(project.name, fold)
      return findings
    },
    concludeProject(project, looked) {
      const folds = foldsOf(project)
      projectFolds.delete(project.name)
      return folds.flatMap((fold) =>
        guarded(project.name, fold.active.rule.id, () => conclude(fold, now, looked).map(({ finding }) => finding)),
      )
    },
    concludeFleet(looked) {
      const findings = fleetFolds.flatMap((fold) =>
        guarded(everywhere, fold.active.rule.id, () => conclude(fold, now, looked)),
      )
      return findings.filter(({ project }) => !forgotten.has(project.name))
    },
    failuresIn: (project) => new Map([...(failures.get(everywhere) ?? []), ...(failures.get(project.name) ?? [])]),
    forget(project) {
      projectFolds.delete(project.name)
      forgotten.add(project.name)
    },
    needsOf: (rule) => active.get(rule),
  }
}

function startFolds(policy: Policy, scope: 'project' | 'fleet'): RunningFold[] {
  return policy.rules.flatMap((active) => {
    const { bound } = active
    return isFold(bound) && bound.scope === scope ? [{ active, visits: bound.visits, fold: bound.start() }] : []
  })
}

function isFold(bound: BoundRule): bound is Extract<BoundRule, { start(): Fold }> {
  return bound.scope !== 'resource'
}

function conclude({ active, fold }: RunningFold, now: number, looked: Looked): LocatedFinding[] {
  return [...fold.conclude(now, looked)].map((problem: LocatedProblem) => ({
    project: problem.at.project,
    finding: stamp(active, problem.at, problem),
  }))
}

function stamp(
  { rule, severity }: ActiveRule,
  { kind, uid, name }: { readonly kind: Kind; readonly uid: string; readonly name: string },
  problem: Problem,
): Finding {
  return {
    rule: rule.id,
    severity: severity ?? problem.severity ?? rule.severity,
    kind,
    uid,
    name,
    path: problem.path,
    message: problem.message,
  }
}
