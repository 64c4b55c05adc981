import type { JsonObject } from '../../../src/model/json.ts'
import type { Facts, Kind } from '../../../src/model/resource.ts'
import type { Rule, RuleFinding } from '../../../src/rules/engine/rule.ts'

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
  if (!('start' in bound)) throw new Error(`${rule.id} does not look across resources`)
  const fold = bound.start()
  for (const { uid, attributes, kind = 'endpoint', project = 'p' } of sees) {
    const place = { project: { name: project, service: 's', uid: project }, kind, uid, name: '' }
    fold.visit({ kind, uid, name: '', attributes, volatile: {}, facts: {} }, place)
  }
  const problems = fold.conclude(now, { isComplete: (kind) => !unseen.includes(kind) })
  return [...problems].map(({ at, ...problem }) => ({ uid: at.uid, ...problem }))
}
