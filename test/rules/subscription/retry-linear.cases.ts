import { aSubscription, type Cases } from '../rule-cases.ts'

const schedule = (type: string, duration: number, retry_count: number) =>
  aSubscription({ retry_config: { type, duration, retry_count } })
const hammers = (what: string) => [`medium s1/retry_config: ${what})`]

export const cases: Cases = {
  'finds more than ten tries': {
    sees: [schedule('linear', 60, 11)],
    finds: hammers('11 declared retries, one every 60 s (policy: at most 10'),
  },
  'finds an interval under five seconds': {
    sees: [schedule('linear', 4, 3)],
    finds: hammers('3 declared retries, one every 4 s (policy: at least 5 s apart'),
  },
  'measures by its options': {
    sees: [schedule('linear', 60, 3)],
    options: { max_tries: 2, min_interval_seconds: 61 },
    finds: hammers('3 declared retries, one every 60 s (policy: at most 2, at least 61 s apart'),
  },
  'leaves ten tries every five seconds alone': { sees: [schedule('linear', 5, 10)] },
  'leaves exponential schedules alone': { sees: [schedule('exponential', 1, 50)] },
  'leaves none at all to another rule': { sees: [schedule('linear', 1, 0)] },
}
