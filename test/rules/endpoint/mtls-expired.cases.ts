import { sound } from '../certificates.ts'
import { anEndpoint, type Cases, endpoints, masked } from '../rule-cases.ts'

const withCertificate = anEndpoint({ mtls_client_cert: { client_cert: sound, client_key: masked } })

export const cases: Cases = {
  'finds a certificate past its end, and names the day': {
    sees: [withCertificate],
    at: '2026-12-02T00:00:00Z',
    finds: ['critical e1/mtls_client_cert/client_cert: certificate expired on 2026-12-01'],
  },
  'leaves a certificate that is still valid alone': { sees: [withCertificate] },
  'leaves a certificate that does not parse to another rule': {
    sees: [anEndpoint({ mtls_client_cert: { client_cert: 'not a certificate' } })],
  },
  'is silent where no certificate is shown': {
    sees: endpoints({ mtls_client_cert: { client_key: masked } }, { mtls_client_cert: null }, {}),
  },
}
