import { z } from 'zod'
import { driftRule, openFor } from '../engine/define-rule.ts'
import { destinationOf } from '../shared/destination.ts'

export const urlHostChanged = driftRule({
  id: 'drift/url-host-changed',
  title: 'Endpoint host changed',
  severity: 'high',
  packs: ['ssrf'],
  kinds: ['endpoint'],
  options: z.strictObject({ open_for: openFor }),
  *check({ before, after }) {
    const [old, now] = [destinationOf(before?.url ?? ''), destinationOf(after?.url ?? '')]
    if (old === undefined || now === undefined || old.host === now.host) return
    yield { path: '/url', message: `delivers to ${now.host} (was ${old.host})` }
  },
})
