import { anEndpoint, type Cases, endpoints, masked } from '../rule-cases.ts'

const mtls_client_cert = { client_cert: 'pem', client_key: masked }

export const cases: Cases = {
  'finds a certificate next to an address of plain http': {
    sees: [anEndpoint({ mtls_client_cert, url: 'http://a.example/in' })],
    finds: ['medium e1/url: has a client certificate, but delivers to a.example over plain http'],
  },
  'leaves https alone, and http without a certificate': {
    sees: endpoints(
      { mtls_client_cert, url: 'https://a.example/in' },
      { mtls_client_cert: null, url: 'http://a.example/in' },
    ),
  },
  'is silent where the address or the certificate is not shown': {
    sees: endpoints({ mtls_client_cert }, { url: 'http://a.example/in' }),
  },
}
