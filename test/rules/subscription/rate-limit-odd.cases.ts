import { anEndpoint, aSubscription, type Cases } from '../rule-cases.ts'

const endpoint = (rate_limit: number, rate_limit_duration: number) => anEndpoint({ rate_limit, rate_limit_duration })
const declared = (count: number, duration: number) =>
  aSubscription({ endpoint_uid: 'e1', rate_limit_config: { count, duration } })
const odd = (what: string) => [`low s1/rate_limit_config: declared rate limit of ${what}`]

export const cases: Cases = {
  'finds a count of zero': { sees: [declared(0, 60)], finds: odd('0 per 60 s limits nothing') },
  'finds a duration of zero': { sees: [declared(10, 0)], finds: odd('10 per 0 s limits nothing') },
  "finds one above its endpoint's": {
    sees: [endpoint(100, 60), declared(2, 1)],
    finds: odd("2 per 1 s exceeds the endpoint's own limit of 100 per 60 s"),
  },
  'leaves one up to it alone': { sees: [endpoint(100, 60), declared(200, 120)] },
  'leaves one above that of another endpoint alone': {
    sees: [anEndpoint({ rate_limit: 1, rate_limit_duration: 60 }, 'e2'), declared(10, 60)],
  },
  'does not compare with an endpoint that limits nothing': {
    sees: [endpoint(0, 0), endpoint(100, 0), declared(10, 60)],
  },
  'is silent where none is declared': {
    sees: [endpoint(1, 60), aSubscription({ endpoint_uid: 'e1', rate_limit_config: null })],
  },
}
