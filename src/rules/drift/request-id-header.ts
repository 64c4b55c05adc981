import { z } from 'zod'
import { driftRule, openFor } from '../engine/define-rule.ts'

export const requestIdHeader = driftRule({
  id: 'drift/request-id-header',
  title: 'The header by which receivers recognise a repeated event is another one',
  severity: 'medium',
  packs: ['delivery', 'standard-webhooks'],
  kinds: ['project'],
  options: z.strictObject({ open_for: openFor }),
  *check({ before, after }) {
    const [old, now] = [before?.config?.request_id_header, after?.config?.request_id_header]
    if (old === undefined || now === undefined || old === now) return
    yield { path: '/config/request_id_header', message: `was ${nameOf(old)}, and is ${nameOf(now)} now` }
  },
})

function nameOf(header: string | null): string {
  return header === null ? 'empty' : `\`${header}\``
}
