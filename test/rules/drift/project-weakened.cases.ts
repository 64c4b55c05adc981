import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases, changed } from '../rule-cases.ts'

const project = (before: JsonObject, after: JsonObject) => [changed(aProject({ config: before }), { config: after })]
const strategy = (type: string, duration: number, retry_count: number) => ({
  strategy: { type, duration, retry_count },
})

export const cases: Cases = {
  'finds TLS that was switched off': {
    compares: project({ ssl: { enforce_secure_endpoints: true } }, { ssl: { enforce_secure_endpoints: false } }),
    finds: [
      'high p/config/ssl/enforce_secure_endpoints: https no longer enforced: the project accepts plain http endpoints',
    ],
  },
  'finds retries that give up sooner': {
    compares: project(strategy('linear', 100, 10), strategy('linear', 10, 4)),
    finds: ['high p/config/strategy: 3 retries within 30 s (was 9 retries within 15 min)'],
  },
  'knows that no delay is above two hours': {
    compares: project(strategy('exponential', 60, 12), strategy('linear', 600, 101)),
  },
  'leaves what became stronger alone': {
    compares: project(strategy('linear', 100, 10), strategy('exponential', 100, 8)),
  },
  'leaves what the service ignores alone': {
    compares: project({ replay_attacks_prevention_enabled: true }, { replay_attacks_prevention_enabled: false }),
  },
  'is silent where a setting is not shown': { compares: project({ ssl: { enforce_secure_endpoints: true } }, {}) },
}
