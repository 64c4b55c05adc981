import { resourceRule } from '../engine/define-rule.ts'

/** What Go's `time.ParseDuration` takes, without a sign. */
const goDuration = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/

export const alertOdd = resourceRule('subscription', {
  id: 'subscription/alert-odd',
  title: 'Declared alert is invalid',
  severity: 'low',
  packs: ['hygiene'],
  acceptedWith: ['/alert_config'],
  *check({ attributes: { alert_config: alert } }) {
    if (alert === null || alert === undefined) return
    if (alert.count === 0) {
      yield { path: '/alert_config/count', message: 'declared alert count is 0 (minimum: 1)' }
    }
    // Empty members are left out of an alert that is shown.
    if (!goDuration.test(alert.threshold ?? '')) {
      const what = alert.threshold ? `threshold \`${alert.threshold}\` is not a duration` : 'has no threshold'
      yield { path: '/alert_config/threshold', message: `declared alert ${what}, expected one such as \`1h\`` }
    }
  },
})
