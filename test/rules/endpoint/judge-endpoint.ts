import type { JsonObject } from '../../../src/model/json.ts'
import type { Facts, Kind } from '../../../src/model/resource.ts'
import type { LocatedRuleFinding, Rule, RuleFinding } from '../../../src/rules/engine/rule.ts'

/** When everything in these tests happens. */
export const now = Date.parse('2026-11-21T00:00:00Z')

/** A seal, made of one hexadecimal digit. */
export const seal = (digit: string) => `sealed:${digit.repeat(32)}`
export const masked = 'sealed:masked'

export interface Circumstances {
  readonly options?: JsonObject
  readonly facts?: Facts
  readonly volatile?: JsonObject
  readonly now?: number
}

/** What a rule says of one endpoint. */
export function problemsOf(rule: Rule, attributes: JsonObject, circumstances: Circumstances = {}): RuleFinding[] {
  const { options = {}, facts = {}, volatile = {} } = circumstances
  const bound = rule.bind(options)
  if (bound.scope !== 'resource') throw new Error(`${rule.id} looks at several endpoints`)
  return [
    ...bound.check({ kind: 'endpoint', uid: 'e1', name: '', attributes, volatile, facts }, circumstances.now ?? now),
  ]
}

export interface Seen {
  readonly uid: string
  readonly attributes: JsonObject
  /** Default: an endpoint. */
  readonly kind?: Kind
  /** Default: one and the same. */
  readonly project?: string
}

/** What a rule says of several resources that it sees in this order; `unseen`: kinds whose walk broke off. */
export function problemsAcross(rule: Rule, sees: readonly Seen[], unseen: readonly Kind[] = []) {
  const bound = rule.bind({})
  const seen = sees.map(({ uid, attributes, kind = 'endpoint', project = 'p' }) => ({
    resource: { kind, uid, name: '', attributes, volatile: {}, facts: {} },
    at: { project: { name: project, service: 's', uid: project }, kind, uid, name: '' },
  }))
  const problems: LocatedRuleFinding[] = []
  if (bound.scope === 'project') {
    const fold = bound.start()
    for (const { resource, at } of seen) fold.visit(resource, at)
    problems.push(...fold.conclude(now, { isComplete: (kind) => !unseen.includes(kind) }))
  } else if (bound.scope === 'fleet') {
    const facts = seen.flatMap(({ resource, at }) =>
      [...bound.facts(resource)].map(([seal, ...details]) => ({ seal, at, details })),
    )
    const groups = [...Map.groupBy(facts, ({ seal }) => seal).values()].filter((alike) => alike.length > 1)
    for (const alike of groups) problems.push(...bound.conclude(alike, now))
  } else throw new Error(`${rule.id} does not look across resources`)
  return problems.map(({ at, ...problem }) => ({ uid: at.uid, ...problem }))
}
