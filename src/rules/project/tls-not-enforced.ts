import { aggregateRule } from '../engine/define-rule.ts'
import type { FindingSubject } from '../engine/rule.ts'

const path = '/config/ssl/enforce_secure_endpoints'

export const tlsNotEnforced = aggregateRule({
  id: 'project/tls-not-enforced',
  title: 'Plain http endpoints are allowed',
  severity: 'info',
  highest: 'medium',
  packs: ['tls'],
  fix: { path, value: true },
  kind: 'project',
  visits: ['project', 'endpoint'],
  start: () => ({ lax: undefined as FindingSubject | undefined, isHttpUsed: false }),
  visit(state, { attributes }, at) {
    if ('config' in attributes) {
      if (attributes.config?.ssl?.enforce_secure_endpoints === false) state.lax = at
    } else if ('url' in attributes && !state.isHttpUsed) {
      state.isHttpUsed = /^\s*http:/i.test(attributes.url ?? '')
    }
  },
  *conclude({ lax, isHttpUsed }, { isComplete }) {
    if (lax === undefined) return
    if (isHttpUsed) {
      yield {
        at: lax,
        path,
        message: 'https is not enforced, and an endpoint uses plain http',
        severity: 'medium',
      }
    } else if (isComplete('endpoint')) {
      yield { at: lax, path, message: 'https is not enforced: a new endpoint may use plain http' }
    }
  },
})
