import { dateOf } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretAllExpired = resourceRule('endpoint', {
  id: 'endpoint/secret-all-expired',
  title: 'All active signing secrets have expired',
  severity: 'high',
  packs: ['secrets'],
  *check({ attributes }, { now }) {
    let last = ''
    for (const [, { expires_at: expiresAt }] of activeSecrets(attributes)) {
      if (typeof expiresAt !== 'string' || !(now > Date.parse(expiresAt))) return
      if (expiresAt > last) last = expiresAt
    }
    if (last !== '')
      yield { path: '/secrets', message: `all active secrets have expired, the last one on ${dateOf(last)}` }
  },
})
