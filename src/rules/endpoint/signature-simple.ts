import { resourceRule } from '../engine/define-rule.ts'

export const signatureSimple = resourceRule('endpoint', {
  id: 'endpoint/signature-simple',
  title: 'Signature covers no timestamp: deliveries can be replayed',
  severity: 'medium',
  packs: ['standard-webhooks'],
  check({ attributes }) {
    if (attributes.advanced_signatures === false) {
      return { path: '/advanced_signatures', message: 'signs the payload without a timestamp: a copy stays valid' }
    }
    return undefined
  },
})
