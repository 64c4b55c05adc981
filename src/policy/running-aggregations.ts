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
import type { ForeseenScan, RememberedConclusion } from './remembered-evaluations.ts'
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
  /** What it finds again in what it found before: it visits nothing. */
  readonly concluded: readonly LocatedRuleFinding[] | undefined
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
  readonly foreseen?: ForeseenScan | undefined
  readonly doubts: GatheredDoubts
  /** Called with a rule that threw. */
  failed(rule: Rule, error: unknown): void
}

/** The rules across the resources of one project, while its resources pass. */
export class RunningAggregations {
  readonly #rules: readonly RunningRule[]
  readonly #byKind: ReadonlyMap<Kind, readonly RunningRule[]>
  readonly #project: string
  readonly #foreseen: ForeseenScan | undefined
  readonly #doubts: GatheredDoubts
  readonly #failed: AggregationOptions['failed']
  readonly #threw = new Set<Rule>()

  constructor(rules: readonly ActiveRule[], { run, foreseen, doubts, failed }: AggregationOptions) {
    this.#project = run.project.name
    this.#foreseen = foreseen
    this.#rules = rules.flatMap(({ rule, bound }): RunningRule[] => {
      if (bound.scope !== 'project') return []
      const start = () => bound.start(run)
      const { visits } = bound
      return [{ rule, visits, fold: start(), start, concluded: this.#recall(rule, visits), readLate: new Map() }]
    })
    const visiting = this.#rules.filter(({ concluded }) => concluded === undefined)
    this.#byKind = byVisitedKind(visiting, ({ visits }) => visits)
    this.#doubts = doubts
    this.#failed = (rule, error) => {
      this.#threw.add(rule)
      failed(rule, error)
    }
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
      const { rule, fold, readLate, concluded } = running
      if (concluded !== undefined) return concluded.map((problem) => ({ rule, problem }))
      const problems: LocatedRuleFinding[] = []
      const complete = new Map<Kind, boolean>()
      try {
        for (const problem of fold.conclude(this.#completenessFor(rule, completeness, complete))) problems.push(problem)
      } catch (error) {
        if (readLate.size === 0) this.#failed(rule, error)
      }
      for (const { resource, read } of readLate.values()) this.#leaveOut(rule, resource, read, true)
      if (rule.needs.every(completeness.isComplete) && fold.isUndecided?.() === true)
        this.#doubts.blur(rule.id, rule.kind)
      this.#remember(running, problems, complete)
      // Its findings about other resources may come from the field, too.
      return readLate.size > 0 ? [] : problems.map((problem) => ({ rule, problem }))
    })
  }

  /** A rule that could not evaluate one resource missed some of its kind. */
  #leaveOut(rule: Rule, resource: Resource, read: Iterable<string>, isEvaluated: boolean): void {
    this.#doubts.note(rule.id, resource, { read, counts: isEvaluated && resource.kind === rule.kind })
    this.#doubts.blur(rule.id, resource.kind)
  }

  /** `answers`: takes what this answers, by kind. */
  #completenessFor({ id }: Rule, { isComplete }: Completeness, answers: Map<Kind, boolean>): Completeness {
    return {
      isComplete: (kind) => {
        answers.set(kind, isComplete(kind))
        return isComplete(kind) && this.#doubts.isClear(id, kind)
      },
    }
  }

  #recall(rule: Rule, visits: readonly Kind[]): RememberedConclusion['problems'] | undefined {
    const remembered = this.#foreseen?.remembered.conclusions.get(rule.id)
    if (remembered === undefined || this.#foreseen === undefined || remembered.project !== this.#project)
      return undefined
    const { seen, isComplete } = this.#foreseen
    const isSame =
      visits.every((kind, at) => remembered.seen[at] === seen.get(kind)) &&
      remembered.complete.entries().every(([kind, was]) => isComplete(kind) === was)
    return isSame ? remembered.problems : undefined
  }

  /** Not of rules of a policy file, which may ask for the time and for labels, and not where anything is in doubt. */
  #remember(
    { rule, visits }: RunningRule,
    problems: RememberedConclusion['problems'],
    complete: RememberedConclusion['complete'],
  ) {
    if (this.#foreseen === undefined) return
    const { remembered, seen } = this.#foreseen
    const isSure = !this.#threw.has(rule) && visits.every((kind) => this.#doubts.isClear(rule.id, kind))
    if (rule.custom !== undefined || !isSure) remembered.conclusions.delete(rule.id)
    else {
      const ofKinds = visits.map((kind) => seen.get(kind))
      remembered.conclusions.set(rule.id, { project: this.#project, seen: ofKinds, complete, problems })
    }
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
