import { anEndpoint, type Cases, endpoints, masked } from '../rule-cases.ts'

export const cases: Cases = {
  'finds the client certificate has no key, and the client key has no certificate': {
    sees: endpoints({ mtls_client_cert: { client_cert: 'pem' } }, { mtls_client_cert: { client_key: masked } }),
    finds: [
      'high e1/mtls_client_cert/client_key: the client certificate has no key',
      'high e2/mtls_client_cert/client_cert: the client key has no certificate',
    ],
  },
  'leaves a certificate with a masked key alone': {
    sees: [anEndpoint({ mtls_client_cert: { client_cert: 'pem', client_key: masked } })],
  },
  'is silent where neither is shown': { sees: endpoints({}, { mtls_client_cert: null }) },
}
