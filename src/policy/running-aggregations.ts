import { isReadable, type Kind, type Resource, type ResourceKey, resourceKey } from '../model/resource.ts'
import type {
  Aggregation,
  Completeness,
  FindingSubject,
  LocatedRuleFinding,
  ResourceContext,
  Rule,
} from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import { byVisitedKind } from './fleet-facts.ts'
import type { ActiveRule } from './policy.ts'
import { asReadBy, trackReads, watchReads } from './watch-reads.ts'

export interface AggregatedProblem {
  readonly rule: Rule
  readonly problem: LocatedRuleFinding
}

interface RunningRule {
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

interface AggregationOptions {
  /** As rules see it: asking for its time is noted. */
  readonly run: ResourceContext
  readonly doubts: GatheredDoubts
  /** Called with a rule that threw. */
  failed(rule: Rule, error: unknown): void
}

/** The rules across the resources of one project, while its resources pass. */
export class RunningAggregations {
  readonly #rules: readonly RunningRule[]
  readonly #byKind: ReadonlyMap<Kind, readonly RunningRule[]>
  readonly #doubts: GatheredDoubts
  readonly #failed: AggregationOptions['failed']

  constructor(rules: readonly ActiveRule[], { run, doubts, failed }: AggregationOptions) {
    this.#rules = rules.flatMap(({ rule, bound }): RunningRule[] => {
      if (bound.scope !== 'project') return []
      const start = () => bound.start(run)
      const { visits } = bound
      return [{ rule, visits, fold: start(), start, readLate: new Map() }]
    })
    this.#byKind = byVisitedKind(this.#rules, ({ visits }) => visits)
    this.#doubts = doubts
    this.#failed = failed
  }

  /** `isEvaluated`: whether a rule applies to the resource. */
  visit(resource: Resource, at: FindingSubject, isEvaluated: (rule: string) => boolean): void {
    for (const running of this.#byKind.get(resource.kind) ?? none) {
      const { rule, fold, readLate } = running
      const relied = asReadBy(rule, resource)
      const watched = isReadable(relied) ? { seen: relied } : watchedBy(running, relied, at)
      if ('read' in watched) {
        this.#leaveOut(rule, resource, watched.read, isEvaluated(rule.id))
        continue
      }
      try {
        fold.visit(watched.seen, at)
      } catch (error) {
        if (!readLate.has(resourceKey(at))) this.#failed(rule, error)
      }
    }
  }

  conclude(completeness: Completeness): readonly AggregatedProblem[] {
    return this.#rules.flatMap((running) => {
      const { rule, fold, readLate } = running
      const problems: LocatedRuleFinding[] = []
      try {
        for (const problem of fold.conclude(this.#completenessFor(rule, completeness))) problems.push(problem)
      } catch (error) {
        if (readLate.size === 0) this.#failed(rule, error)
      }
      for (const { resource, read } of readLate.values()) this.#leaveOut(rule, resource, read, true)
      if (rule.needs.every(completeness.isComplete) && fold.isUndecided?.() === true)
        this.#doubts.blur(rule.id, rule.kind)
      // Its findings about other resources may come from the field, too.
      return readLate.size > 0 ? [] : problems.map((problem) => ({ rule, problem }))
    })
  }

  /** A rule that could not evaluate one resource missed some of its kind. */
  #leaveOut(rule: Rule, resource: Resource, read: Iterable<string>, isEvaluated: boolean): void {
    this.#doubts.note(rule.id, resource, { read, counts: isEvaluated && resource.kind === rule.kind })
    this.#doubts.blur(rule.id, resource.kind)
  }

  #completenessFor({ id }: Rule, { isComplete }: Completeness): Completeness {
    return { isComplete: (kind) => isComplete(kind) && this.#doubts.isClear(id, kind) }
  }
}

const none: readonly never[] = []

/**
 * A resource with malformed or unseen fields as a rule may see it, or which of them the rule would read. The resource
 * is left out then, because the field could affect findings about others.
 */
function watchedBy(
  { rule, start, readLate }: RunningRule,
  resource: Resource,
  at: FindingSubject,
): { readonly seen: Resource } | { readonly read: ReadonlySet<string> } {
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
