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
    max_hours: z.number().positive().default(24).describe('Hours for which every run may find it paused'),
  }),
  // `updated_at` moves with any change, so only the history knows since when.
  dates: ({ attributes }) => (attributes.status === 'paused' ? ['/status'] : []),
  check({ attributes }, { options, time }, { since }) {
    if (attributes.status !== 'paused') return
    const start = since('/status')
    if (start !== undefined && time.reached(Date.parse(start) + options.max_hours * hourMs)) {
      return {
        path: '/status',
        message: `paused in every run since ${minuteOf(start)}: its events are discarded, not queued`,
      }
    }
    return undefined
  },
})
