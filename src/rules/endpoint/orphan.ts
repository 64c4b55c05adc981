import { projectRule } from '../engine/define-rule.ts'

export const orphan = projectRule({
  id: 'endpoint/orphan',
  title: 'Endpoint has no subscription',
  severity: 'low',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  kind: 'endpoint',
  reads: ['endpoint', 'subscription'],
  *check({ all, isComplete }) {
    const targets = new Set(all('subscription').map(({ attributes }) => attributes.endpoint_uid))
    // One that is not shown may be any.
    if (targets.has(undefined) || !isComplete('subscription')) return
    for (const at of all('endpoint')) {
      if (!targets.has(at.uid)) yield { at, path: '', message: 'no subscription of the project delivers to it' }
    }
  },
})
