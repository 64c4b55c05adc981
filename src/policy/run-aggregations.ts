import { type ResourceKey, resourceKey } from '../model/keys.ts'
import type { Kind, Resource } from '../model/resource.ts'
import type {
  Aggregation,
  Completeness,
  EvaluationRun,
  FindingPlace,
  LocatedRuleFinding,
  Rule,
} from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import type { ActiveRule } from './policy.ts'
import { trackReads, watchReads } from './watch-reads.ts'

/** The running rules across the resources of one project. */
export interface Aggregations {
  /** `isEvaluated`: whether a rule applies to the resource. */
  visit(resource: Resource, place: FindingPlace, isEvaluated: (rule: string) => boolean): void
  conclude(completeness: Completeness): readonly AggregatedProblem[]
}

export interface AggregatedProblem {
  readonly rule: Rule
  readonly problem: LocatedRuleFinding
}

interface Gathering {
  readonly run: EvaluationRun
  /** Start of the run, in milliseconds since the epoch. */
  readonly now: number
  readonly doubts: GatheredDoubts
  readonly failed: (rule: Rule, error: unknown) => void
}

interface Running {
  readonly rule: Rule
  readonly visits: readonly Kind[]
  readonly fold: Aggregation
  /** A fresh one, to try which fields it reads. */
  readonly start: () => Aggregation
  /** Resources of which it read a malformed field after the trial. */
  readonly readLate: Map<ResourceKey, FindingPlace>
}

export function startAggregations(rules: readonly ActiveRule[], { run, now, doubts, failed }: Gathering): Aggregations {
  const all = rules.flatMap(({ rule, bound }): Running[] => {
    if (bound.scope !== 'project') return []
    const start = () => bound.start(run)
    return [{ rule, visits: bound.visits, fold: start(), start, readLate: new Map() }]
  })

  /** A rule that could not evaluate one resource missed some of its kind. */
  const leaveOut = (rule: Rule, place: FindingPlace, isEvaluated: boolean) => {
    doubts.note(rule.id, place, isEvaluated && place.kind === rule.kind)
    doubts.blur(rule.id, place.kind)
  }

  /**
   * A resource with malformed fields as a rule may see it; undefined where the rule would read one of them. The
   * resource is left out then, because the field could affect findings about others.
   */
  const watchedBy = (
    { rule, start, readLate }: Running,
    resource: Resource,
    place: FindingPlace,
  ): Resource | undefined => {
    // Custom rules keep values and read them once they have both resources.
    const trial = trackReads(resource, { within: rule.custom !== undefined })
    try {
      start().visit(trial.seen, place)
    } catch {
      // Without the malformed field as its cause, the real run fails too.
    }
    return trial.hasRead() ? undefined : watchReads(resource, () => readLate.set(resourceKey(place), place))
  }

  return {
    visit(resource, place, isEvaluated) {
      for (const running of all) {
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
          if (!readLate.has(resourceKey(place))) failed(rule, error)
        }
      }
    },
    conclude(completeness) {
      return all.flatMap(({ rule, fold, readLate }) => {
        const problems: LocatedRuleFinding[] = []
        const isComplete = (kind: Kind) => completeness.isComplete(kind) && doubts.isClear(rule.id, kind)
        try {
          for (const problem of fold.conclude(now, { isComplete })) problems.push(problem)
        } catch (error) {
          if (readLate.size === 0) failed(rule, error)
        }
        for (const place of readLate.values()) leaveOut(rule, place, true)
        // Its findings about other resources may come from the field, too.
        return readLate.size > 0 ? [] : problems.map((problem) => ({ rule, problem }))
      })
    },
  }
}
