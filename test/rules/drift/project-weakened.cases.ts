import type { JsonObject } from '../../../src/model/json.ts'
import { aProject, type Cases, changed } from '../rule-cases.ts'

const project = (before: JsonObject, after: JsonObject) => [changed(aProject({ config: before }), { config: after })]
const hashes = (...all: string[]) => ({
  signature: { versions: Object.fromEntries(all.map((hash, at) => [`v${at}`, { hash }])) },
})
const strategy = (type: string, duration: number, retry_count: number) => ({
  strategy: { type, duration, retry_count },
})

export const cases: Cases = {
  'finds TLS and replay protection that were switched off': {
    compares: project(
      { ssl: { enforce_secure_endpoints: true }, replay_attacks_prevention_enabled: true },
      { ssl: { enforce_secure_endpoints: false }, replay_attacks_prevention_enabled: false },
    ),
    finds: [
      'high p/config/ssl/enforce_secure_endpoints: https no longer enforced: the project accepts plain http endpoints',
      'high p/config/replay_attacks_prevention_enabled: replay protection switched off',
    ],
  },
  'finds a weaker hash, also next to the strong one': {
    compares: [...project(hashes('SHA256'), hashes('SHA1')), ...project(hashes('SHA256'), hashes('SHA256', 'MD5'))],
    finds: [
      'high p/config/signature/versions: signature hash is SHA1 (was SHA256)',
      'high p/config/signature/versions: signature hash is MD5 (was SHA256)',
    ],
  },
  'finds retries that give up sooner': {
    compares: project(strategy('linear', 100, 10), strategy('linear', 10, 3)),
    finds: ['high p/config/strategy: 3 retries within 30 s (was 10 retries within 16.7 min)'],
  },
  'leaves what became stronger alone': {
    compares: [
      ...project({ replay_attacks_prevention_enabled: false }, { replay_attacks_prevention_enabled: true }),
      ...project(hashes('SHA1'), hashes('SHA256')),
      ...project(strategy('linear', 100, 10), strategy('exponential', 100, 8)),
    ],
  },
  'is silent where a setting is not shown': {
    compares: project({ ssl: { enforce_secure_endpoints: true }, ...hashes('SHA256') }, {}),
  },
}
