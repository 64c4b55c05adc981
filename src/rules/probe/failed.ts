import type { ProbeAttributes } from '../engine/attributes.ts'
import { resourceRule } from '../engine/define-rule.ts'

export const failed = resourceRule('probe', {
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
})

/** `the body function of orders (01M…)`. */
function functionOf({ function: probed, target_name: name, target_uid: uid }: ProbeAttributes): string {
  const what = probed === 'subscription' ? 'the function' : `the ${probed} function`
  return `${what} of ${name ? `${name} (${uid})` : uid}`
}
