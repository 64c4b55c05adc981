import { z } from 'zod'
import { hourMs } from '../../model/time.ts'
import { driftRule } from '../engine/define-rule.ts'
import { configuredKinds } from '../engine/rule.ts'

export const flapping = driftRule({
  id: 'drift/flapping',
  title: 'Field keeps changing',
  severity: 'medium',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  kinds: configuredKinds,
  life: 'found',
  options: z.strictObject({
    min_changes: z.int().min(2).default(3).describe('Number of changes that counts as flapping'),
    within_hours: z.number().positive().max(8760).default(24).describe('Hours over which changes are counted'),
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
