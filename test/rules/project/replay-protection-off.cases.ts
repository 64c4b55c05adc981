import { aProject, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a project without it': {
    sees: [aProject({ config: { replay_attacks_prevention_enabled: false } })],
    finds: [
      'info p/config/replay_attacks_prevention_enabled: off: a recorded delivery can be sent again and still verifies',
    ],
  },
  'leaves one with it alone': { sees: [aProject({ config: { replay_attacks_prevention_enabled: true } })] },
  'is silent where the setting is not shown': { sees: [aProject({ config: {} })] },
}
