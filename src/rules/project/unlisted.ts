import { scanRule } from '../engine/define-rule.ts'

export const unlisted = scanRule({
  id: 'project/unlisted',
  title: 'A project that the key can read is not configured',
  severity: 'low',
  packs: ['hygiene', 'recommended'],
  acceptedWith: 'nothing',
  needs: ['project'],
  *check({ isUnlisted }) {
    if (isUnlisted) yield { path: '', message: 'the service lists it, and the configuration does not name it' }
  },
})
