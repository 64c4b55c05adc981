import { anEndpoint, aProject, type Cases, changed } from '../rule-cases.ts'

const limited = anEndpoint({ rate_limit: 100, rate_limit_duration: 60 })

export const cases: Cases = {
  'finds a limit that is gone': {
    compares: [changed(limited, { rate_limit: 0, rate_limit_duration: 0 })],
    finds: ['medium e1/rate_limit: rate limit removed (was 100 per 60 s)'],
  },
  'finds a limit whose duration is gone': {
    compares: [changed(limited, { rate_limit: 100, rate_limit_duration: 0 })],
    finds: ['medium e1/rate_limit_duration: rate limit removed (was 100 per 60 s)'],
  },
  "leaves a project's limit alone: the service ignores it": {
    compares: [
      changed(aProject({ config: { ratelimit: { count: 1000, duration: 60 } } }), {
        config: { ratelimit: { count: 0, duration: 60 } },
      }),
    ],
  },
  'leaves another limit alone': { compares: [changed(limited, { rate_limit: 5000, rate_limit_duration: 1 })] },
  'leaves alone what limited nothing before': {
    compares: [
      changed(anEndpoint({ rate_limit: 100, rate_limit_duration: 0 }), { rate_limit: 0, rate_limit_duration: 0 }),
    ],
  },
  'is silent where a part of it is not shown': { compares: [changed(limited, { rate_limit: 0 })] },
}
