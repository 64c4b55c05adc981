import { lookRule } from '../engine/look-rule.ts'

export const vanished = lookRule({
  id: 'project/vanished',
  title: 'A configured project is not there any more, or not for this key',
  severity: 'high',
  packs: ['hygiene'],
  needs: ['endpoint', 'subscription'],
  *check({ isVanished }) {
    if (isVanished) yield { path: '', message: 'the service says that it is not there, or that the key may not see it' }
  },
})
