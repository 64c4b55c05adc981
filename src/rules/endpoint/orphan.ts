import { PlacesByKey } from '../../model/places-by-key.ts'
import type { Subscription } from '../engine/attributes.ts'
import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingPlace } from '../engine/rule.ts'

export const orphan = aggregateRule({
  id: 'endpoint/orphan',
  title: 'No subscription delivers to the endpoint',
  severity: 'low',
  packs: ['hygiene'],
  kind: 'endpoint',
  visits: ['endpoint', 'subscription'],
  start: () => ({
    endpoints: new PlacesByKey(),
    targets: new PlacesByKey(),
    isEveryTargetShown: true,
    lonely: [] as FindingPlace[],
  }),
  visit(state, resource, at, place) {
    const { endpoints, targets } = state
    if (resource.kind === 'endpoint') {
      endpoints.add(at.uid, place)
      return
    }
    // The kind decides the attributes, which the compiler does not see in two members of one object.
    const { endpoint_uid: target } = resource.attributes as Subscription
    if (typeof target === 'string') targets.add(target)
    else if (target === undefined) state.isEveryTargetShown = false
  },
  asks: ({ endpoints, targets, isEveryTargetShown }, { isComplete }) =>
    isEveryTargetShown && isComplete('subscription') ? endpoints.outside(targets) : [],
  recall({ lonely }, _, at) {
    lonely.push(at)
  },
  *conclude({ lonely }) {
    for (const at of lonely) yield { at, path: '', message: 'no subscription delivers to it' }
  },
})
