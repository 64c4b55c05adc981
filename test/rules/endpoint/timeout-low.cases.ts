import { anEndpoint, type Cases, endpoints } from '../rule-cases.ts'

export const cases: Cases = {
  'finds a timeout under 5 s': {
    sees: [anEndpoint({ http_timeout: 3 })],
    finds: ['low e1/http_timeout: timeout is 3 s (policy: at least 5 s)'],
  },
  'leaves enough alone, and 0, which is the default of the service': {
    sees: endpoints({ http_timeout: 0 }, { http_timeout: 5 }, { http_timeout: 30 }),
  },
  'asks for as much as the policy says': {
    sees: [anEndpoint({ http_timeout: 10 })],
    options: { min_seconds: 15 },
    finds: ['low e1/http_timeout: timeout is 10 s (policy: at least 15 s)'],
  },
  'is silent where the timeout is not shown': { sees: endpoints({}, { http_timeout: null }) },
}
