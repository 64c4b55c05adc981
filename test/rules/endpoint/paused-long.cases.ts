import { anEndpoint, type Cases } from '../rule-cases.ts'

const paused = [anEndpoint({ status: 'paused' })]

export const cases: Cases = {
  'finds an endpoint that every run of a day found paused': {
    sees: paused,
    since: { '/status': '2026-11-20T00:00:00.000Z' },
    finds: [
      'high e1/status: paused since 2026-11-20 00:00 UTC (policy: at most 24 h): its new events are discarded, not queued',
    ],
  },
  'leaves one alone that was paused less than a day ago': {
    sees: paused,
    since: { '/status': '2026-11-20T00:00:01.000Z' },
  },
  'measures by its option': {
    sees: paused,
    since: { '/status': '2026-11-20T22:30:00.000Z' },
    options: { max_hours: 1.5 },
    finds: [
      'high e1/status: paused since 2026-11-20 22:30 UTC (policy: at most 1.5 h): its new events are discarded, not queued',
    ],
  },
  'leaves another status alone, however old it is': {
    sees: [anEndpoint({ status: 'active' }), anEndpoint({ status: null }), anEndpoint({})],
    since: { '/status': '2026-01-01T00:00:00.000Z' },
  },
  'is silent where the history does not know since when': { sees: paused },
}
