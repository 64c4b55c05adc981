import { pointerStep } from '../../model/json.ts'
import { resourceRule } from '../engine/define-rule.ts'
import { isOutdatedHash } from '../shared/outdated-hash.ts'

export const signatureWeak = resourceRule('project', {
  id: 'project/signature-weak',
  title: 'Deliveries are signed with an outdated hash',
  severity: 'high',
  packs: ['secrets', 'standard-webhooks'],
  *check({ attributes }) {
    for (const [uid, { hash }] of Object.entries(attributes.config?.signature?.versions ?? {})) {
      if (typeof hash !== 'string' || !isOutdatedHash(hash)) continue
      yield {
        path: `/config/signature/versions/${pointerStep(uid)}/hash`,
        message: `a signature version uses ${hash} (recommended: SHA256)`,
      }
    }
  },
})
