import { scanRule } from '../engine/define-rule.ts'

export const unlisted = scanRule({
  id: 'project/unlisted',
  title: 'Project is missing from the configuration',
  severity: 'low',
  packs: ['hygiene', 'recommended'],
  acceptedWith: 'nothing',
  needs: ['project'],
  *check({ isUnlisted }) {
    if (isUnlisted)
      yield {
        path: '',
        message: 'the service lists it and the key can read it, but the configuration does not name it',
      }
  },
})
