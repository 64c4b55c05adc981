import { canonicalJson, firstDifference } from '../../model/canonical-json.ts'
import { isJsonObject } from '../../model/json.ts'
import { resourceRule } from '../engine/define-rule.ts'

/**
 * `volatile.before` holds what the same function gave for the same payload: when it was approved (`is_approved`), or else
 * at the last run; it is not there where either is another.
 */
export const outputChanged = resourceRule('probe', {
  id: 'probe/output-changed',
  title: 'Function returns a different result for the same payload',
  severity: 'medium',
  packs: ['delivery'],
  *check({ attributes: { outcome, output, deterministic }, volatile: { before, is_approved: isApproved } }) {
    if (deterministic === false) {
      const message =
        'not deterministic: two runs with the same payload returned different results, so results are not compared'
      yield { path: '/deterministic', message, severity: 'info' }
      return
    }
    if (outcome !== 'ok' || output === undefined || !isJsonObject(before)) return
    if (before.outcome !== 'ok' || before.deterministic !== true || before.output === undefined) return
    if (canonicalJson(before.output) === canonicalJson(output)) return
    const at = firstDifference(before.output, output)
    const where = at === '' ? '' : `, first at ${at}`
    const from = isApproved === true ? 'approved' : 'previous'
    yield {
      path: '/output',
      message: `result differs from the ${from} one, with the same function and payload${where}`,
    }
  },
})
