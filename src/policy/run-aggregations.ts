import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type {
  Aggregation,
  BoundRule,
  Completeness,
  EvaluationRun,
  FindingPlace,
  LocatedRuleFinding,
  Rule,
} from '../rules/engine/rule.ts'
import type { Doubts } from './doubts.ts'
import type { ActiveRule } from './policy.ts'
import { trackReads, watchReads } from './watch-reads.ts'

/** Rules across the resources of one project, or of all, on their way through them. */
export interface Aggregations {
  /** `isJudged`: whether a rule holds for the resource. */
  visit(resource: Resource, place: FindingPlace, isEvaluated: (rule: string) => boolean): void
  conclude(completeness: Completeness): readonly AggregateFinding[]
}

export interface AggregateFinding {
  readonly rule: Rule
  readonly problem: LocatedRuleFinding
}

interface AggregationContext {
  /** A project's name, or that of all together. */
  readonly where: string
  readonly run: EvaluationRun
  readonly doubts: Doubts
  readonly failed: (where: string, rule: Rule, error: unknown) => void
}

interface RunningAggregation {
  readonly rule: Rule
  readonly visits: readonly Kind[]
  readonly fold: Aggregation
  /** The same at its beginning, to see what it reads. */
  readonly start: () => Aggregation
  /** Resources of which it read a malformed field later than when it was tried. */
  readonly readLate: Map<string, FindingPlace>
}

export function startAggregations(
  rules: readonly ActiveRule[],
  scope: Extract<BoundRule, { start(): Aggregation }>['scope'],
  { where, run, doubts, failed }: AggregationContext,
): Aggregations {
  const folds = rules.flatMap(({ rule, bound }): RunningAggregation[] => {
    if (!('start' in bound) || bound.scope !== scope) return []
    const start = () => bound.start(run)
    return [{ rule, visits: bound.visits, fold: start(), start, readLate: new Map() }]
  })

  /** Who could not judge one resource did not see all of its kind. */
  const leaveOut = (rule: Rule, { project, kind, uid }: FindingPlace, isEvaluated: boolean) => {
    doubts.note(project, { rule: rule.id, kind, uid }, isEvaluated && kind === rule.kind)
    doubts.blur(where, rule.id, kind)
  }

  /**
   * A resource with malformed fields as a rule may see it; undefined where the rule would read one of them. It is left
   * out then, for what the rule makes of it could show in what it says of others.
   */
  const watchedBy = (
    { rule, start, readLate }: RunningAggregation,
    resource: Resource,
    place: FindingPlace,
  ): Resource | undefined => {
    // Custom rules keep what they read and look into it when they have met both sides.
    const trial = trackReads(resource, { within: rule.custom !== undefined })
    try {
      start().visit(trial.seen, place)
    } catch {
      // It fails in earnest, too, unless that was the field's doing.
    }
    return trial.hasRead() ? undefined : watchReads(resource, () => readLate.set(keyOf(place), place))
  }

  return {
    visit(resource, place, isEvaluated) {
      for (const running of folds) {
        const { rule, visits, fold, readLate } = running
        if (!visits.includes(resource.kind)) continue
        const seen = resource.malformed === undefined ? resource : watchedBy(running, resource, place)
        if (seen === undefined) {
          leaveOut(rule, place, isEvaluated(rule.id))
          continue
        }
        try {
          fold.visit(seen, place)
        } catch (error) {
          if (!readLate.has(keyOf(place))) failed(where, rule, error)
        }
      }
    },
    conclude(completeness) {
      return folds.flatMap(({ rule, fold, readLate }) => {
        const problems: LocatedRuleFinding[] = []
        const isComplete = (kind: Kind) => completeness.isComplete(kind) && doubts.isClear(where, rule.id, kind)
        try {
          for (const problem of fold.conclude(run.now, { isComplete })) problems.push(problem)
        } catch (error) {
          if (readLate.size === 0) failed(where, rule, error)
        }
        for (const place of readLate.values()) leaveOut(rule, place, true)
        // What it said of others may come from the field, too.
        return readLate.size > 0 ? [] : problems.map((problem) => ({ rule, problem }))
      })
    },
  }
}

/** Names a resource among those of all projects. */
export function keyOf({ project, kind, uid }: { project: ProjectRef; kind: Kind; uid: string }): string {
  return `${project.name} ${kind} ${uid}`
}
