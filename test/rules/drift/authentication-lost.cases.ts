import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const basic = { type: 'basic_auth', basic_auth: { username: 'hooks', password: 'sealed:masked' } }
const key = { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'sealed:masked' } }

export const cases: Cases = {
  'finds authentication that was wiped': {
    compares: [changed(anEndpoint({ authentication: basic }), { authentication: null })],
    finds: ['high e1/authentication: authentication removed (was basic authentication)'],
  },
  'names the header that had the API key': {
    compares: [changed(anEndpoint({ authentication: key }), { authentication: null })],
    finds: ['high e1/authentication: authentication removed (was an API key in `X-Api-Key`)'],
  },
  'finds a client certificate that was wiped': {
    compares: [changed(anEndpoint({ mtls_client_cert: { client_cert: 'PEM' } }), { mtls_client_cert: null })],
    finds: ['high e1/mtls_client_cert: client certificate removed: deliveries no longer present one'],
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
