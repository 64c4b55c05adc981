import type { JsonObject } from '../../../src/model/json.ts'
import { aSubscription, type Cases } from '../rule-cases.ts'

const alert = (alert_config: JsonObject | null) => aSubscription({ alert_config })

export const cases: Cases = {
  'finds a count of zero': {
    sees: [alert({ count: 0, threshold: '1h' })],
    finds: ['low s1/alert_config/count: declared alert count is 0 (minimum: 1)'],
  },
  'finds a threshold that is not a duration': {
    sees: ['1 hour', '60', '1d', '-1h'].map((threshold) => alert({ count: 5, threshold })),
    finds: ['1 hour', '60', '1d', '-1h'].map(
      (threshold) =>
        `low s1/alert_config/threshold: declared alert threshold \`${threshold}\` is not a duration, expected one such as \`1h\``,
    ),
  },
  'finds an empty threshold': {
    sees: [alert({ count: 5 })],
    finds: ['low s1/alert_config/threshold: declared alert has no threshold, expected one such as `1h`'],
  },
  'leaves durations alone': {
    sees: ['1h', '1h30m', '1.5h', '90s', '100ms'].map((threshold) => alert({ count: 5, threshold })),
  },
  'is silent where none is declared': { sees: [alert(null), aSubscription({})] },
}
