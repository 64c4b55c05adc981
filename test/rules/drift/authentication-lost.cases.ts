import { anEndpoint, type Cases, changed } from '../rule-cases.ts'

const basic = { type: 'basic_auth', basic_auth: { username: 'hooks', password: 'sealed:masked' } }
const key = { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value: 'sealed:masked' } }

const seal = (digit: string) => `sealed:${digit.repeat(32)}`
const withSecret = (header_value: string) => ({
  authentication: { type: 'api_key', api_key: { header_name: 'X-Api-Key', header_value } },
})
const withKey = (client_key: string) => ({ mtls_client_cert: { client_cert: 'PEM', client_key } })

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
  'finds a secret that is back with another value, where it follows a loss': {
    compares: [
      changed(anEndpoint(withSecret(seal('1'))), withSecret(seal('2')), { lostSince: 5 }),
      changed(anEndpoint(withKey(seal('1'))), withKey(seal('2')), { lostSince: 5 }),
    ],
    finds: [
      'low e1/authentication/api_key/header_value: authentication is back, with another value than in run 5',
      'low e1/mtls_client_cert/client_key: the client certificate is back, with another value than in run 5',
    ],
  },
  'leaves a secret alone that is back as it was, that nothing was lost of, and that cannot be compared': {
    compares: [
      changed(anEndpoint(withSecret(seal('1'))), withSecret(seal('1')), { lostSince: 5 }),
      changed(anEndpoint(withSecret(seal('1'))), withSecret(seal('2'))),
      changed(anEndpoint(withSecret(seal('1'))), withSecret('sealed:masked'), { lostSince: 5 }),
      changed(anEndpoint(withSecret(seal('1'))), withSecret(seal('2')), { lostSince: 5, areSealsComparable: false }),
    ],
  },
  'leaves another kind of authentication alone': {
    compares: [
      changed(anEndpoint({ authentication: basic }), {
        authentication: { type: 'api_key', api_key: { header_name: 'X-Key', header_value: 'sealed:1' } },
      }),
    ],
  },
  'finds a kind of authentication without its settings': {
    compares: [changed(anEndpoint({ authentication: basic }), { authentication: { type: 'api_key' } })],
    finds: ['high e1/authentication: authentication left without its settings (was basic authentication)'],
  },
  'leaves an endpoint alone that never had any': {
    compares: [changed(anEndpoint({ authentication: null }), { authentication: null })],
  },
  'is silent where the service no longer shows it': { compares: [changed(anEndpoint({ authentication: basic }), {})] },
  'is silent about an endpoint that is gone': {
    compares: [{ kind: 'endpoint', uid: 'e1', before: { authentication: basic }, after: undefined, isApproved: true }],
  },
}
