import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { dayMs } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretExpiredActive = resourceRule('endpoint', {
  id: 'endpoint/secret-expired-active',
  title: 'Expired secret is still there and still signs',
  severity: 'medium',
  packs: ['secrets'],
  options: z.strictObject({
    max_days: z.number().nonnegative().default(7).describe('Days past its expiry for which a secret may stay'),
  }),
  *check({ attributes }, { options, time }) {
    for (const [uid, { expires_at: expiresAt }] of activeSecrets(attributes)) {
      if (typeof expiresAt !== 'string' || !time.passed(Date.parse(expiresAt) + options.max_days * dayMs)) continue
      yield {
        path: `/secrets/${pointerStep(uid)}`,
        message: `expired on ${expiresAt.slice(0, 10)} and still signs; the policy allows ${options.max_days} days`,
      }
    }
  },
})
