import { scanRule } from '../engine/scan-rule.ts'

export const vanished = scanRule({
  id: 'project/vanished',
  title: 'A configured project is gone, or not visible to this key',
  severity: 'high',
  packs: ['hygiene'],
  needs: ['endpoint', 'subscription'],
  *check({ isVanished }) {
    if (isVanished) yield { path: '', message: 'the service says that it is not there, or that the key may not see it' }
  },
})
