import { z } from 'zod'
import { driftRule, openFor } from '../engine/define-rule.ts'

export const requestIdHeader = driftRule({
  id: 'drift/request-id-header',
  title: 'Request ID header changed',
  severity: 'medium',
  packs: ['delivery', 'standard-webhooks'],
  kinds: ['project'],
  options: z.strictObject({ open_for: openFor }),
  *check({ before, after }) {
    const [old, now] = [before?.config?.request_id_header, after?.config?.request_id_header]
    if (old === undefined || now === undefined || old === now) return
    yield { path: '/config/request_id_header', message: `request ID header is ${nameOf(now)} (was ${nameOf(old)})` }
  },
})

function nameOf(header: string | null): string {
  return header === null ? 'empty' : `\`${header}\``
}
