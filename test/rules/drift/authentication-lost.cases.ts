import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const basic = { type: 'basic_auth', basic_auth: { username: 'hooks', password: 'sealed:masked' } }

export const cases: Cases = {
  'finds authentication that was wiped': {
    compares: [changed(anEndpoint({ authentication: basic }), { authentication: null })],
    finds: ['high e1/authentication: authenticated by basic_auth, and by nothing now'],
  },
  'finds a client certificate that was wiped': {
    compares: [changed(anEndpoint({ mtls_client_cert: { client_cert: 'PEM' } }), { mtls_client_cert: null })],
    finds: ['high e1/mtls_client_cert: presented a client certificate, and presents none now'],
  },
  'leaves another kind of authentication alone': {
    compares: [changed(anEndpoint({ authentication: basic }), { authentication: { type: 'api_key' } })],
  },
  'leaves an endpoint alone that never had any': {
    compares: [changed(anEndpoint({ authentication: null }), { authentication: null })],
  },
  'is silent where the service no longer shows it': { compares: [changed(anEndpoint({ authentication: basic }), {})] },
  'is silent about an endpoint that is gone': {
    compares: [{ kind: 'endpoint', uid: 'e1', before: { authentication: basic }, after: undefined, isApproved: true }],
  },
}
