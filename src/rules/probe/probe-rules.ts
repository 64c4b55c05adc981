import { canonicalJson, firstDifference } from '../../model/canonical-json.ts'
import { isJsonObject } from '../../model/json.ts'
import type { ProbeAttributes } from '../engine/attributes.ts'
import { fieldRule, resourceRule } from '../engine/define-rule.ts'
import type { Rule } from '../engine/rule.ts'

/** Rules about probes. Short ones are rows here, in the order of ids; the others have a file each. */
export const probeRules: readonly Rule[] = [
  resourceRule('probe', {
    id: 'probe/failed',
    title: "Function fails on its probe's payload",
    severity: 'high',
    packs: ['delivery'],
    check({ attributes, volatile }) {
      if (attributes.outcome !== 'failed') return
      const said = attributes.error ?? volatile.error
      const why = typeof said === 'string' ? `: ${said}` : ''
      return { path: '/outcome', message: `${functionOf(attributes)} fails${why}` }
    },
  }),
  resourceRule('probe', {
    id: 'probe/output-changed',
    title: 'Function returns a different result for the same payload',
    severity: 'medium',
    packs: ['delivery'],
    // `before`: what the same function gave for the same payload: when it was approved (`is_approved`), or else at the
    // last run; it is not there where either is another.
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
      const where = at === '' ? '' : ` at ${at}`
      const from = isApproved === true ? 'approved' : 'previous'
      yield {
        path: '/output',
        message: `result differs from the ${from} one${where} (same function and payload)`,
      }
    },
  }),
  fieldRule('probe', {
    id: 'probe/unexpected',
    title: "Function result does not meet its probe's expectation",
    severity: 'high',
    packs: ['delivery'],
    path: '/unexpected',
    isWrong: ({ unexpected }) => typeof unexpected === 'string',
    says: ({ unexpected }) => unexpected ?? '',
  }),
]

/** `the body function of orders (01M…)`. */
function functionOf({ function: probed, target_name: name, target_uid: uid }: ProbeAttributes): string {
  const what = probed === 'subscription' ? 'the function' : `the ${probed} function`
  return `${what} of ${name ? `${name} (${uid})` : uid}`
}
