import { z } from 'zod'
import { hourMs } from '../../model/time.ts'
import { driftRule } from '../engine/define-rule.ts'
import { configuredKinds } from '../engine/rule.ts'

export const flapping = driftRule({
  id: 'drift/flapping',
  title: 'A field changes again and again',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  kinds: configuredKinds,
  life: 'found',
  options: z.strictObject({
    min_changes: z.int().min(2).default(3).describe('Changes of one field from which on it flaps'),
    within_hours: z.number().positive().max(8760).default(24).describe('Hours of changes that count'),
  }),
  lookbackMs: ({ within_hours }) => within_hours * hourMs,
  *check({ recent }, { options: { min_changes, within_hours }, now }) {
    for (const [path, times] of recent) {
      const counted = times.filter((time) => now - time <= within_hours * hourMs)
      if (counted.length >= min_changes) {
        yield { path, message: `changed at least ${min_changes} times within ${within_hours} h` }
      }
    }
  },
})
