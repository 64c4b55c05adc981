import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { dateOf, dayMs } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretExpiring = resourceRule('endpoint', {
  id: 'endpoint/secret-expiring',
  title: 'Signing secret expires soon and has no successor',
  severity: 'medium',
  packs: ['secrets'],
  acceptedWith: ['/secrets'],
  options: z.strictObject({
    min_days: z.number().positive().default(7).describe('Days that at least one secret must still be valid'),
  }),
  *check({ attributes }, { options, now }) {
    let last: { readonly uid: string; readonly expiresAt: string } | undefined
    for (const [uid, { expires_at: expiresAt }] of activeSecrets(attributes)) {
      // A secret without an end, or with one that is not shown, may be the successor.
      if (typeof expiresAt !== 'string') return
      if (last === undefined || expiresAt > last.expiresAt) last = { uid, expiresAt }
    }
    if (last === undefined) return
    const end = Date.parse(last.expiresAt)
    // What is over already is said by `secret-all-expired`.
    if (now > end - options.min_days * dayMs && now <= end) {
      yield {
        path: `/secrets/${pointerStep(last.uid)}`,
        message: `expires on ${dateOf(last.expiresAt)} (policy: valid for at least ${options.min_days} more days), and no other secret is valid for longer`,
      }
    }
  },
})
