import { z } from 'zod'
import { hourMs, minuteOf } from '../../model/time.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const pausedLong = resourceRule('endpoint', {
  id: 'endpoint/paused-long',
  title: 'Endpoint has been paused for too long: its events are discarded',
  severity: 'high',
  packs: ['delivery'],
  fix: { path: '/status', value: 'active' },
  options: z.strictObject({
    max_hours: z.number().positive().default(24).describe('Hours that an endpoint may stay paused'),
  }),
  // `updated_at` moves with any change, so only the history knows since when.
  dates: ({ attributes }) => (attributes.status === 'paused' ? ['/status'] : []),
  check({ attributes }, { options, now }, { since }) {
    if (attributes.status !== 'paused') return
    const start = since('/status')
    if (start !== undefined && now >= Date.parse(start) + options.max_hours * hourMs) {
      return {
        path: '/status',
        message: `paused since ${minuteOf(start)} (policy: at most ${options.max_hours} h): its new events are discarded, not queued`,
      }
    }
    return undefined
  },
})
