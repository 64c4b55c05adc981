import { z } from 'zod'
import { scanRule } from '../engine/define-rule.ts'
import type { UnconfirmedRemoval } from '../engine/rule.ts'

const options = z.strictObject({
  max_percent: z
    .number()
    .min(0)
    .max(100)
    .default(30)
    .describe('Share of a listing that may disappear in one scan, in percent'),
  max_resources: z
    .int()
    .min(0)
    .default(10)
    .describe('Resources of a listing that may disappear in one scan, regardless of their share'),
})

export const massRemoval = scanRule({
  id: 'project/mass-removal',
  title: 'Unusually large removal awaits confirmation',
  severity: 'high',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  options,
  needs: ['endpoint', 'source', 'subscription'],
  needsIfListed: ['event_type'],
  *check({ unconfirmedRemovals }) {
    if (unconfirmedRemovals.length === 0) return
    const losses = unconfirmedRemovals.map(({ listing, missing, total }) => `${missing} of ${total} ${listing}`)
    yield {
      path: '',
      message: `${losses.join(' and ')} disappeared in one scan; waiting for the next scan to confirm it`,
    }
  },
})

/** Whether so much is gone that a fault of the service is as likely as a person's doing. */
export function isMassRemoval({ missing, total }: Omit<UnconfirmedRemoval, 'listing'>, raw: unknown): boolean {
  const { max_percent, max_resources } = options.parse(raw)
  return missing > max_resources && missing * 100 > total * max_percent
}
