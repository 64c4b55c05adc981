import { aProject, type Cases } from '../rule-cases.ts'

const disabling = (type: string, duration: number, retry_count: number) =>
  aProject({ config: { disable_endpoint: true, strategy: { type, duration, retry_count } } })

export const cases: Cases = {
  'finds that the first delivery disables': {
    sees: [
      disabling('linear', 100, 1),
      aProject({ config: { disable_endpoint: true, strategy: { type: 'linear', duration: 5, retry_count: 0 } } }),
    ],
    finds: [
      'high p/config/disable_endpoint: the first delivery disables its endpoint, even a successful one: there is no retry',
      'high p/config/disable_endpoint: the first delivery disables its endpoint, even a successful one: there is no retry',
    ],
  },
  "finds the gateway's default strategy": {
    sees: [disabling('linear', 100, 10)],
    finds: ['medium p/config/disable_endpoint: an outage of 15 min disables an endpoint (policy: at least 60 min)'],
  },
  'measures by its option': {
    sees: [disabling('exponential', 60, 7)],
    options: { min_seconds: 7200 },
    finds: ['medium p/config/disable_endpoint: an outage of 63 min disables an endpoint (policy: at least 2 h)'],
  },
  'leaves an hour alone': { sees: [disabling('exponential', 60, 7)] },
  'leaves endpoints alone that are never disabled': {
    sees: [
      aProject({ config: { disable_endpoint: false, strategy: { type: 'linear', duration: 1, retry_count: 1 } } }),
    ],
  },
  'is silent where the strategy is not shown': { sees: [aProject({ config: { disable_endpoint: true } })] },
}
