import type { Authentication } from '../engine/attributes.ts'
import { driftRule } from '../engine/define-rule.ts'
import { findReturned } from '../shared/returned-secret.ts'

export const authenticationLost = driftRule({
  id: 'drift/authentication-lost',
  title: 'Endpoint no longer has authentication',
  severity: 'high',
  packs: ['secrets'],
  kinds: ['endpoint'],
  *check({ before, after, ...drift }) {
    const was = before?.authentication
    if (was?.type !== undefined && after?.authentication === null) {
      yield { path: '/authentication', message: `authentication removed (was ${describe(was)})` }
    }
    if (before?.mtls_client_cert?.client_cert !== undefined && after?.mtls_client_cert === null) {
      yield { path: '/mtls_client_cert', message: 'client certificate removed: deliveries no longer present one' }
    }
    yield* findReturned(names, drift)
  },
})

const names = { '/authentication': 'authentication', '/mtls_client_cert': 'the client certificate' }

function describe({ type, api_key }: Authentication): string {
  if (type === 'api_key') return api_key?.header_name ? `an API key in \`${api_key.header_name}\`` : 'an API key'
  return type === 'basic_auth' ? 'basic authentication' : type === 'oauth2' ? 'OAuth 2.0' : String(type)
}
