import type { Subscription } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

export const orphan = aggregateRule({
  id: 'endpoint/orphan',
  title: 'Endpoint has no subscription',
  severity: 'low',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  kind: 'endpoint',
  visits: ['endpoint', 'subscription'],
  start: () => ({
    endpoints: [] as FindingSubject[],
    targets: new Set<string>(),
    isEveryTargetShown: true,
  }),
  visit(state, resource, at) {
    const { endpoints, targets } = state
    if (resource.kind === 'endpoint') {
      endpoints.push(at)
      return
    }
    // The kind decides the attributes, which the compiler does not see in two members of one object.
    const { endpoint_uid: target } = resource.attributes as Subscription
    if (typeof target === 'string') targets.add(target)
    else if (target === undefined) state.isEveryTargetShown = false
  },
  *conclude({ endpoints, targets, isEveryTargetShown }, { isComplete }) {
    if (!isEveryTargetShown || !isComplete('subscription')) return
    for (const at of endpoints) {
      if (!targets.has(at.uid)) yield { at, path: '', message: 'no subscription of the project delivers to it' }
    }
  },
})
