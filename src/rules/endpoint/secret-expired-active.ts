import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { count } from '../../model/text/count.ts'
import { dateOf, dayMs } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretExpiredActive = resourceRule('endpoint', {
  id: 'endpoint/secret-expired-active',
  title: 'Expired signing secret is still in use',
  severity: 'medium',
  packs: ['secrets'],
  options: z.strictObject({
    max_days: z.number().nonnegative().default(7).describe('Days that a secret may stay after it expires'),
  }),
  *check({ attributes }, { options, now }) {
    const active = activeSecrets(attributes)
    const ended = active.flatMap(([, { expires_at: end }]) =>
      typeof end === 'string' && now > Date.parse(end) ? end : [],
    )
    const last = ended.sort().at(-1)
    if (last !== undefined && ended.length === active.length) {
      const all = `all active secrets have expired, the last one on ${dateOf(last)}`
      yield { path: '/secrets', message: `${all}: they still sign, and no request adds another` }
    }
    for (const [uid, { expires_at: expiresAt }] of active) {
      if (typeof expiresAt !== 'string' || !(now > Date.parse(expiresAt) + options.max_days * dayMs)) continue
      yield {
        path: `/secrets/${pointerStep(uid)}`,
        message: `expired on ${expiresAt.slice(0, 10)} and still signs (policy: at most ${count(options.max_days, 'day')} past expiry)`,
      }
    }
  },
})
