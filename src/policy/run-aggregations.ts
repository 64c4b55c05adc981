import { type ResourceKey, resourceKey } from '../model/keys.ts'
import { isReadable, type Kind, type Resource } from '../model/resource.ts'
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
  visit(resource: Resource, at: FindingPlace, isEvaluated: (rule: string) => boolean): void
  conclude(completeness: Completeness): readonly AggregatedProblem[]
}

export interface AggregatedProblem {
  readonly rule: Rule
  readonly problem: LocatedRuleFinding
}

interface Running {
  readonly rule: Rule
  readonly visits: readonly Kind[]
  readonly fold: Aggregation
  /** A fresh one, to try which fields it reads. */
  readonly start: () => Aggregation
  /** Resources of which it read a malformed or unseen field after the trial. */
  readonly readLate: Map<ResourceKey, LateRead>
}

interface LateRead {
  readonly resource: Resource
  readonly read: Set<string>
}

/** `now`: start of the run, in milliseconds since the epoch. `failed`: called with a rule that threw. */
export function startAggregations(
  rules: readonly ActiveRule[],
  run: EvaluationRun,
  now: number,
  doubts: GatheredDoubts,
  failed: (rule: Rule, error: unknown) => void,
): Aggregations {
  const all = rules.flatMap(({ rule, bound }): Running[] => {
    if (bound.scope !== 'project') return []
    const start = () => bound.start(run)
    return [{ rule, visits: bound.visits, fold: start(), start, readLate: new Map() }]
  })

  const ofKind = new Map<Kind, readonly Running[]>()
  const visiting = (kind: Kind): readonly Running[] => {
    const known = ofKind.get(kind) ?? all.filter(({ visits }) => visits.includes(kind))
    ofKind.set(kind, known)
    return known
  }

  /** A rule that could not evaluate one resource missed some of its kind. */
  const leaveOut = (rule: Rule, resource: Resource, read: Iterable<string>, isEvaluated: boolean) => {
    doubts.note(rule.id, resource, { read, counts: isEvaluated && resource.kind === rule.kind })
    doubts.blur(rule.id, resource.kind)
  }

  /**
   * A resource with malformed or unseen fields as a rule may see it, or which of them the rule would read. The resource
   * is left out then, because the field could affect findings about others.
   */
  const watchedBy = (
    { rule, start, readLate }: Running,
    resource: Resource,
    at: FindingPlace,
  ): { readonly seen: Resource } | { readonly read: ReadonlySet<string> } => {
    // Custom rules keep values and read them once they have both resources.
    const trial = trackReads(resource, { within: rule.custom !== undefined })
    try {
      start().visit(trial.seen, at)
    } catch {
      // Without such a field as its cause, the real run fails too.
    }
    if (trial.hasRead()) return { read: trial.read }
    const seen = watchReads(resource, (pointers) => {
      const key = resourceKey(at)
      const late = readLate.get(key) ?? { resource, read: new Set() }
      readLate.set(key, late)
      for (const pointer of pointers) late.read.add(pointer)
    })
    return { seen }
  }

  const completenessFor = ({ id }: Rule, { isComplete }: Completeness): Completeness => ({
    isComplete: (kind) => isComplete(kind) && doubts.isClear(id, kind),
  })

  return {
    visit(resource, at, isEvaluated) {
      for (const running of visiting(resource.kind)) {
        const { rule, fold, readLate } = running
        const watched = isReadable(resource) ? { seen: resource } : watchedBy(running, resource, at)
        if ('read' in watched) {
          leaveOut(rule, resource, watched.read, isEvaluated(rule.id))
          continue
        }
        try {
          fold.visit(watched.seen, at)
        } catch (error) {
          if (!readLate.has(resourceKey(at))) failed(rule, error)
        }
      }
    },
    conclude(completeness) {
      return all.flatMap(({ rule, fold, readLate }) => {
        const problems: LocatedRuleFinding[] = []
        try {
          for (const problem of fold.conclude(now, completenessFor(rule, completeness))) problems.push(problem)
        } catch (error) {
          if (readLate.size === 0) failed(rule, error)
        }
        for (const { resource, read } of readLate.values()) leaveOut(rule, resource, read, true)
        // Its findings about other resources may come from the field, too.
        return readLate.size > 0 ? [] : problems.map((problem) => ({ rule, problem }))
      })
    },
  }
}
