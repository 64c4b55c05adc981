import { scanRule } from '../engine/define-rule.ts'

export const vanished = scanRule({
  id: 'project/vanished',
  title: 'A configured project is gone, or not visible to this key',
  severity: 'high',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  needs: ['endpoint', 'subscription'],
  *check({ isVanished, isMissing }) {
    if (isVanished) yield { path: '', message: 'the service says that it is not there, or that the key may not see it' }
    else if (isMissing) yield { path: '', message: "the complete list of the service's projects does not have it" }
  },
})
