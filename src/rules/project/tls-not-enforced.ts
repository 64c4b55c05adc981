import { projectRule } from '../engine/define-rule.ts'

const path = '/config/ssl/enforce_secure_endpoints'

export const tlsNotEnforced = projectRule({
  id: 'project/tls-not-enforced',
  title: 'Plain http endpoints are allowed',
  severity: 'info',
  highest: 'medium',
  packs: ['tls'],
  fix: { path, value: true },
  kind: 'project',
  reads: ['project', 'endpoint'],
  *check({ all, isComplete }) {
    const lax = all('project').find(({ attributes }) => attributes.config?.ssl?.enforce_secure_endpoints === false)
    if (lax === undefined) return
    if (all('endpoint').some(({ attributes }) => /^\s*http:/i.test(attributes.url ?? ''))) {
      const message = 'https is not enforced, and an endpoint uses plain http'
      yield { at: lax, path, message, severity: 'medium' }
    } else if (isComplete('endpoint')) {
      yield { at: lax, path, message: 'https is not enforced: a new endpoint may use plain http' }
    }
  },
})
