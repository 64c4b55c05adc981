import { driftRule } from '../engine/define-rule.ts'

export const authenticationLost = driftRule({
  id: 'drift/authentication-lost',
  title: 'Endpoint lost the authentication that it had',
  severity: 'high',
  packs: ['secrets'],
  kinds: ['endpoint'],
  *check({ before, after }) {
    const type = before?.authentication?.type
    if (type !== undefined && after?.authentication === null) {
      yield { path: '/authentication', message: `authenticated by ${type}, and by nothing now` }
    }
    if (before?.mtls_client_cert?.client_cert !== undefined && after?.mtls_client_cert === null) {
      yield { path: '/mtls_client_cert', message: 'presented a client certificate, and presents none now' }
    }
  },
})
