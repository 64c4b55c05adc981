import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a timeout over 60 s': {
    sees: [anEndpoint({ http_timeout: 120 })],
    finds: ['medium e1/http_timeout: timeout is 120 s (policy: at most 60 s)'],
  },
  'leaves 60 s alone': { sees: [anEndpoint({ http_timeout: 60 })] },
  'allows as much as the policy says': {
    sees: [anEndpoint({ http_timeout: 60 })],
    options: { max_seconds: 30 },
    finds: ['medium e1/http_timeout: timeout is 60 s (policy: at most 30 s)'],
  },
  'is silent where the timeout is not shown': { sees: endpoints({}, { http_timeout: null }) },
}
