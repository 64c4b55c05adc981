import { sound } from '../certificates.ts'
import { anEndpoint, type Cases, endpoints, masked } from '../rule-cases.ts'

const withCertificate = anEndpoint({ mtls_client_cert: { client_cert: sound, client_key: masked } })

export const cases: Cases = {
  'finds a certificate that expires within 30 days': {
    sees: [withCertificate],
    finds: [
      'high e1/mtls_client_cert/client_cert: certificate expires on 2026-12-01 (policy: valid for at least 30 more days)',
    ],
  },
  'leaves a certificate that is valid for longer alone': {
    sees: [withCertificate],
    at: '2026-10-01T00:00:00Z',
  },
  'leaves an expired certificate to another rule': { sees: [withCertificate], at: '2026-12-02T00:00:00Z' },
  'checks as many days ahead as the policy says': { sees: [withCertificate], options: { min_days: 7 } },
  'is silent about what does not parse and where no certificate is shown': {
    sees: endpoints({ mtls_client_cert: { client_cert: 'not a certificate' } }, { mtls_client_cert: null }, {}),
  },
}
