import { aProject, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a project without it': {
    sees: [aProject({ config: { replay_attacks_prevention_enabled: false } })],
    finds: [
      'info p/config/replay_attacks_prevention_enabled: replay protection is off: a recorded delivery still verifies when it is sent again',
    ],
  },
  'leaves one with it alone': { sees: [aProject({ config: { replay_attacks_prevention_enabled: true } })] },
  'is silent where the setting is not shown': { sees: [aProject({ config: {} })] },
}
