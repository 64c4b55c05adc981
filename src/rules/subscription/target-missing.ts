import { projectRule } from '../engine/define-rule.ts'

export const targetMissing = projectRule({
  id: 'subscription/target-missing',
  title: 'Subscription has no endpoint',
  severity: 'high',
  packs: ['delivery'],
  kind: 'subscription',
  reads: ['endpoint', 'subscription'],
  *check({ all, isComplete }) {
    const endpoints = new Set(all('endpoint').map(({ uid }) => uid))
    for (const at of all('subscription')) {
      const { type, endpoint_uid: target, device_uid: device } = at.attributes
      if (target === undefined || (type === 'cli' && typeof device === 'string')) continue
      if (target === null) {
        const message =
          'no endpoint: matching events are not delivered; from v26.7.3 on they fail for every subscription'
        yield { at, path: '/endpoint_uid', message }
      } else if (!endpoints.has(target) && isComplete('endpoint')) {
        yield { at, path: '/endpoint_uid', message: `endpoint ${target} does not exist in the project` }
      }
    }
  },
})
