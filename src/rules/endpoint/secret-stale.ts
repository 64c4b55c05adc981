import { z } from 'zod'
import { pointerStep } from '../../model/json.ts'
import { count } from '../../model/text/count.ts'
import { dateOf, dayMs } from '../../model/time.ts'
import { activeSecrets } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const secretStale = resourceRule('endpoint', {
  id: 'endpoint/secret-stale',
  title: 'Signing secret is overdue for rotation',
  severity: 'low',
  packs: ['secrets'],
  options: z.strictObject({
    max_days: z.number().positive().default(365).describe('Maximum age of the newest secret, in days'),
  }),
  *check({ attributes }, { options, now }) {
    let newest: { readonly uid: string; readonly createdAt: string } | undefined
    for (const [uid, { created_at: createdAt }] of activeSecrets(attributes)) {
      if (typeof createdAt !== 'string') return
      if (newest === undefined || createdAt > newest.createdAt) newest = { uid, createdAt }
    }
    if (newest !== undefined && now > Date.parse(newest.createdAt) + options.max_days * dayMs) {
      yield {
        path: `/secrets/${pointerStep(newest.uid)}`,
        message: `newest secret was created on ${dateOf(newest.createdAt)} (policy: at most ${count(options.max_days, 'day')} old)`,
      }
    }
  },
})
