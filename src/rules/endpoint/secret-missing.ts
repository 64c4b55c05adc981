import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretMissing = resourceRule('endpoint', {
  id: 'endpoint/secret-missing',
  title: 'Endpoint has no active signing secret',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  check({ attributes }) {
    if (attributes.secrets === undefined || activeSecrets(attributes).length > 0) return
    const deleted = Object.keys(attributes.secrets ?? {}).length
    const also = deleted === 0 ? '' : ` (${deleted} deleted)`
    return { path: '/secrets', message: `no active secret${also}: its deliveries cannot be verified` }
  },
})
