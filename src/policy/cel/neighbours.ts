import type { JsonObject } from '../../model/json.ts'
import type { ProjectRef, Resource } from '../../model/resource.ts'
import type { Aggregation, FindingPlace, LocatedRuleFinding, RuleFinding } from '../../rules/engine/rule.ts'

/** Resources related to another, for rules that read them. */
export interface RelatedResources {
  readonly endpoint?: Resource
  readonly source?: Resource
  readonly subscriptions?: number
}

/** Variables of related resources. */
export type RelatedVariable = keyof RelatedResources

export type EvaluateResource = (
  resource: Resource,
  project: ProjectRef,
  related: RelatedResources,
) => RuleFinding | undefined
/** Members that are read of a variable; undefined: all. */
export type MembersRead = (variable: string) => ReadonlySet<string> | undefined

interface Waiting {
  readonly at: FindingPlace
  readonly resource: Resource
}

/**
 * Subscriptions with their endpoint and source. Keeps what the rule reads of those, and evaluates a subscription when
 * it comes. One whose source comes later (embedded in the subscriptions themselves) waits for the end. One without
 * them, or with them outside the project, is not evaluated: other rules report that.
 */
export function evaluateJoined(
  ask: EvaluateResource,
  keep: MembersRead,
  others: readonly RelatedVariable[],
): Aggregation {
  const kept = { endpoint: new Map<string, Resource>(), source: new Map<string, Resource>() }
  const waiting: Waiting[] = []
  const found: LocatedRuleFinding[] = []
  const wanted = (['endpoint', 'source'] as const).filter((variable) => others.includes(variable))

  const relatedTo = ({ attributes }: Resource): RelatedResources | undefined => {
    const related: { endpoint?: Resource; source?: Resource } = {}
    for (const kind of wanted) {
      const uid = attributes[`${kind}_uid`]
      const known = typeof uid === 'string' ? kept[kind].get(uid) : undefined
      if (known === undefined) return undefined
      related[kind] = known
    }
    return related
  }
  const evaluate = ({ at, resource }: Waiting, related: RelatedResources) => {
    const problem = ask(resource, at.project, related)
    if (problem !== undefined) found.push({ ...problem, at })
  }

  return {
    visit(resource, at) {
      if (resource.kind !== 'subscription') {
        if (resource.kind === 'endpoint' || resource.kind === 'source') {
          kept[resource.kind].set(resource.uid, pruned(resource, keep(resource.kind)))
        }
        return
      }
      const related = relatedTo(resource)
      if (related !== undefined) evaluate({ at, resource }, related)
      else if (wanted.every((kind) => typeof resource.attributes[`${kind}_uid`] === 'string')) {
        waiting.push({ at, resource: pruned(resource, keep('resource'), ['endpoint_uid', 'source_uid']) })
      }
    },
    conclude: () =>
      yieldAll(
        waiting,
        (each) => {
          const related = relatedTo(each.resource)
          if (related !== undefined) evaluate(each, related)
        },
        found,
      ),
  }
}

/** Endpoints with the number of subscriptions that deliver to them, after all subscriptions. */
export function evaluateCounted(ask: EvaluateResource, keep: MembersRead): Aggregation {
  const endpoints: Waiting[] = []
  const counts = new Map<string, number>()
  const found: LocatedRuleFinding[] = []
  let isEveryTargetShown = true
  return {
    visit(resource, at) {
      if (resource.kind === 'endpoint') {
        endpoints.push({ at, resource: pruned(resource, keep('resource')) })
        return
      }
      const target = resource.attributes.endpoint_uid
      if (typeof target === 'string') counts.set(target, (counts.get(target) ?? 0) + 1)
      else if (target === undefined) isEveryTargetShown = false
    },
    conclude(_, { isComplete }) {
      if (!isEveryTargetShown || !isComplete('subscription')) return []
      return yieldAll(
        endpoints,
        ({ at, resource }) => {
          const problem = ask(resource, at.project, { subscriptions: counts.get(resource.uid) ?? 0 })
          if (problem !== undefined) found.push({ ...problem, at })
        },
        found,
      )
    },
  }
}

/** Evaluates one after the other; a failure loses no finding before or after it. */
function* yieldAll(
  waiting: readonly Waiting[],
  evaluate: (each: Waiting) => void,
  found: readonly LocatedRuleFinding[],
): Generator<LocatedRuleFinding> {
  const failures: unknown[] = []
  for (const each of waiting) {
    try {
      evaluate(each)
    } catch (error) {
      failures.push(error)
    }
  }
  yield* found
  if (failures.length > 0) throw failures[0]
}

/** Only the members that are read, so that an aggregation over a large project keeps little. */
function pruned(resource: Resource, members: ReadonlySet<string> | undefined, also: readonly string[] = []): Resource {
  if (members === undefined) return resource
  const names = [...members, ...also]
  const pick = (object: JsonObject): JsonObject =>
    Object.fromEntries(names.flatMap((name) => (object[name] === undefined ? [] : [[name, object[name]]])))
  const { kind, uid, name, attributes, volatile, facts } = resource
  const isRead = (pointer: string) =>
    names.some((member) => pointer.startsWith(`/${member}/`) || pointer === `/${member}`)
  return {
    kind,
    uid,
    name,
    attributes: pick(attributes),
    volatile: pick(volatile),
    facts: Object.fromEntries(Object.entries(facts).filter(([pointer]) => isRead(pointer))),
  }
}
