import { scanRule } from '../engine/define-rule.ts'

export const vanished = scanRule({
  id: 'project/vanished',
  title: 'Configured project is gone or hidden from its key',
  severity: 'high',
  packs: ['hygiene'],
  acceptedWith: 'nothing',
  needs: ['endpoint', 'subscription'],
  *check({ isVanished, isMissing }) {
    if (isVanished)
      yield {
        path: '',
        message: 'the service answers that the project does not exist, or that the key may not read it',
      }
    else if (isMissing) yield { path: '', message: "the service's complete list of projects does not have it" }
  },
})
