import { dateOf } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretAllExpired = resourceRule('endpoint', {
  id: 'endpoint/secret-all-expired',
  title: 'Every active secret has expired',
  severity: 'high',
  packs: ['secrets'],
  *check({ attributes }, { time }) {
    let last = ''
    for (const [, { expires_at: expiresAt }] of activeSecrets(attributes)) {
      if (typeof expiresAt !== 'string' || !time.passed(Date.parse(expiresAt))) return
      if (expiresAt > last) last = expiresAt
    }
    if (last !== '') yield { path: '/secrets', message: `every active secret has expired, the last on ${dateOf(last)}` }
  },
})
