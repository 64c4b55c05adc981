import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

export const targetMissing = aggregateRule({
  id: 'subscription/target-missing',
  title: 'Subscription has no endpoint',
  severity: 'high',
  packs: ['delivery'],
  kind: 'subscription',
  visits: ['endpoint', 'subscription'],
  start: () => ({ endpoints: new Set<string>(), lost: [] as { at: FindingSubject; target: string | null }[] }),
  visit({ endpoints, lost }, resource, at) {
    if (resource.kind === 'endpoint') {
      endpoints.add(resource.uid)
      return
    }
    const {
      type,
      endpoint_uid: target,
      device_uid: device,
    } = resource.attributes as {
      type?: string
      endpoint_uid?: string | null
      device_uid?: string | null
    }
    if (target === undefined || (type === 'cli' && typeof device === 'string')) return
    if (target === null || !endpoints.has(target)) lost.push({ at, target })
  },
  *conclude({ lost }, { isComplete }) {
    for (const { at, target } of lost) {
      if (target === null) {
        yield { at, path: '/endpoint_uid', message: 'no endpoint: matching events are not delivered' }
      } else if (isComplete('endpoint')) {
        yield { at, path: '/endpoint_uid', message: `endpoint ${target} does not exist in the project` }
      }
    }
  },
})
