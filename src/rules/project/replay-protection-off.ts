import { resourceRule } from '../engine/define-rule.ts'

export const replayProtectionOff = resourceRule('project', {
  id: 'project/replay-protection-off',
  title: 'Replay protection is off',
  severity: 'info',
  packs: ['standard-webhooks'],
  check({ attributes }) {
    if (attributes.config?.replay_attacks_prevention_enabled === false) {
      return {
        path: '/config/replay_attacks_prevention_enabled',
        message: 'off: a recorded delivery can be sent again and still verifies',
      }
    }
    return undefined
  },
})
