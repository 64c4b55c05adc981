import {
  isReadable,
  type Kind,
  type ProjectRef,
  type Resource,
  type ResourceKey,
  resourceKey,
} from '../model/resource.ts'
import type { BoundRule, Completeness, LocatedRuleFinding, ResourceContext, Rule } from '../rules/engine/rule.ts'
import type { GatheredDoubts } from './doubts.ts'
import type { ActiveRule } from './policy.ts'
import { asReadBy, watchReads } from './watch-reads.ts'

export interface LocatedProblem {
  readonly rule: Rule
  readonly problem: LocatedRuleFinding
}

interface ProjectRulesOptions {
  readonly project: ProjectRef
  readonly run: ResourceContext
  readonly doubts: GatheredDoubts
  /** Called with a rule that threw. */
  failed(rule: Rule, error: unknown): void
}

type ProjectBound = Extract<BoundRule, { scope: 'project' }>

/** The rules across the resources of one project. */
export class ProjectRules {
  readonly #rules: readonly { readonly rule: Rule; readonly bound: ProjectBound }[]
  readonly #options: ProjectRulesOptions
  /** Of the kinds that they read, in the order of walking. */
  readonly #resources: ReadonlyMap<Kind, Resource[]>

  constructor(rules: readonly ActiveRule[], options: ProjectRulesOptions) {
    this.#rules = rules.flatMap(({ rule, bound }) => (bound.scope === 'project' ? [{ rule, bound }] : []))
    this.#options = options
    this.#resources = new Map(this.#rules.flatMap(({ bound }) => bound.reads.map((kind) => [kind, []])))
  }

  take(resource: Resource): void {
    this.#resources.get(resource.kind)?.push(resource)
  }

  /** What they find in all that was taken. `isEvaluated`: whether a rule applies to a resource. */
  check(
    completeness: Completeness,
    isEvaluated: (rule: string, resource: Resource) => boolean,
  ): readonly LocatedProblem[] {
    return this.#rules.flatMap(({ rule, bound }) => {
      const { problems, leftOut, isUndecided } = this.#checkRule(rule, bound, completeness)
      const { doubts } = this.#options
      for (const { resource, read } of leftOut.values()) {
        // A rule that could not evaluate one resource missed some of its kind.
        const counts = resource.kind === rule.kind && isEvaluated(rule.id, resource)
        doubts.note(rule.id, resource, { read, counts })
        doubts.blur(rule.id, resource.kind)
      }
      if (isUndecided && rule.needs.every(completeness.isComplete)) doubts.blur(rule.id, rule.kind)
      return problems.map((problem) => ({ rule, problem }))
    })
  }

  /**
   * Asks a rule again without the resources of which it read what no rule can rely on, until it reads none: such a field
   * could affect what it finds in others.
   */
  #checkRule(rule: Rule, bound: ProjectBound, { isComplete }: Completeness) {
    const { run, failed, project } = this.#options
    const leftOut = new Map<ResourceKey, UnreadableRead>()
    for (;;) {
      const kindsLeftOut = new Set([...leftOut.values()].map(({ resource }) => resource.kind))
      const before = leftOut.size
      const problems: LocatedRuleFinding[] = []
      let isUndecided = false
      const evaluated = {
        run,
        all: (kind: Kind) => this.#watched(rule, kind, leftOut),
        isComplete: (kind: Kind) => isComplete(kind) && !kindsLeftOut.has(kind),
        cannotSay() {
          isUndecided = true
        },
      }
      try {
        for (const { at, ...problem } of bound.check(evaluated)) {
          problems.push({ ...problem, at: { project, kind: at.kind, uid: at.uid, name: at.name } })
        }
      } catch (error) {
        if (leftOut.size === before) failed(rule, error)
      }
      if (leftOut.size === before) return { problems, leftOut, isUndecided }
    }
  }

  /** The resources of a kind; one that has fields in doubt is left out once one of them is read. */
  #watched(rule: Rule, kind: Kind, leftOut: Map<ResourceKey, UnreadableRead>): readonly Resource[] {
    return (this.#resources.get(kind) ?? []).flatMap((resource) => {
      const relied = asReadBy(rule, resource)
      if (isReadable(relied)) return [relied]
      const key = resourceKey(resource)
      if (leftOut.has(key)) return []
      const read = new Set<string>()
      const onRead = (pointers: readonly string[]) => {
        for (const pointer of pointers) read.add(pointer)
        leftOut.set(key, { resource, read })
      }
      return [watchReads(relied, onRead)]
    })
  }
}

interface UnreadableRead {
  readonly resource: Resource
  /** JSON Pointers. */
  readonly read: ReadonlySet<string>
}
