import type { Kind, ProjectRef, Resource } from '../model/resource.ts'
import type { BoundRule, Fold, LocatedProblem, Looked, Place, Rule, Run } from '../rules/engine/rule.ts'
import type { Doubts } from './doubts.ts'
import type { ActiveRule } from './policy.ts'
import { trackReads, watchReads } from './watch-reads.ts'

/** Rules across the resources of one project, or of all, on their way through them. */
export interface Folds {
  /** `isJudged`: whether a rule holds for the resource. */
  visit(resource: Resource, place: Place, isJudged: (rule: string) => boolean): void
  conclude(looked: Looked): readonly FoldProblem[]
}

export interface FoldProblem {
  readonly rule: Rule
  readonly problem: LocatedProblem
}

interface Surroundings {
  /** A project's name, or that of all together. */
  readonly where: string
  readonly run: Run
  readonly doubts: Doubts
  readonly failed: (where: string, rule: Rule, error: unknown) => void
}

interface RunningFold {
  readonly rule: Rule
  readonly visits: readonly Kind[]
  readonly fold: Fold
  /** The same at its beginning, to see what it reads. */
  readonly start: () => Fold
  /** Resources of which it read a malformed field later than when it was tried. */
  readonly readLate: Map<string, Place>
}

export function startFolds(
  rules: readonly ActiveRule[],
  scope: Extract<BoundRule, { start(): Fold }>['scope'],
  { where, run, doubts, failed }: Surroundings,
): Folds {
  const folds = rules.flatMap(({ rule, bound }): RunningFold[] => {
    if (!('start' in bound) || bound.scope !== scope) return []
    const start = () => bound.start(run)
    return [{ rule, visits: bound.visits, fold: start(), start, readLate: new Map() }]
  })

  /** Who could not judge one resource did not see all of its kind. */
  const leaveOut = (rule: Rule, { project, kind, uid }: Place, isJudged: boolean) => {
    doubts.note(project, { rule: rule.id, kind, uid }, isJudged && kind === rule.kind)
    doubts.blur(where, rule.id, kind)
  }

  /**
   * A resource with malformed fields as a rule may see it; undefined where the rule would read one of them. It is left
   * out then, for what the rule makes of it could show in what it says of others.
   */
  const watchedBy = (
    { rule, start, readLate }: RunningFold,
    resource: Resource,
    place: Place,
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
    visit(resource, place, isJudged) {
      for (const running of folds) {
        const { rule, visits, fold, readLate } = running
        if (!visits.includes(resource.kind)) continue
        const seen = resource.malformed === undefined ? resource : watchedBy(running, resource, place)
        if (seen === undefined) {
          leaveOut(rule, place, isJudged(rule.id))
          continue
        }
        try {
          fold.visit(seen, place)
        } catch (error) {
          if (!readLate.has(keyOf(place))) failed(where, rule, error)
        }
      }
    },
    conclude(looked) {
      return folds.flatMap(({ rule, fold, readLate }) => {
        const problems: LocatedProblem[] = []
        const isComplete = (kind: Kind) => looked.isComplete(kind) && doubts.isClear(where, rule.id, kind)
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
