import { aProject, type Cases } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a project that never disables': {
    sees: [aProject({ config: { disable_endpoint: false } })],
    finds: ['info p/config/disable_endpoint: `disable_endpoint` is off: an endpoint that always fails stays active'],
  },
  'leaves one that does alone': { sees: [aProject({ config: { disable_endpoint: true } })] },
  'is silent where the setting is not shown': { sees: [aProject({ config: {} })] },
}
