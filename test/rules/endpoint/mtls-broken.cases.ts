import { ended, sound, timeless, weak } from '../certificates.ts'
import { type Cases, endpoints, masked } from '../rule-cases.ts'

const path = '/mtls_client_cert/client_cert'
const stopped = 'every delivery fails, without a retry'
const withCertificates = (...all: readonly string[]) =>
  endpoints(...all.map((client_cert) => ({ mtls_client_cert: { client_cert, client_key: masked } })))
const early = '2026-10-01T00:00:00Z'

export const cases: Cases = {
  'finds a certificate past its end, and names the day': {
    sees: withCertificates(sound),
    at: '2026-12-02T00:00:00Z',
    finds: [`critical e1${path}: the certificate expired on 2026-12-01: ${stopped}`],
  },
  'finds a certificate that is not valid yet': {
    sees: withCertificates(sound),
    at: '2025-12-31T00:00:00Z',
    finds: [`critical e1${path}: the certificate is not valid before 2026-01-01: ${stopped}`],
  },
  'finds what does not parse or has no times, and does not fail over it': {
    sees: withCertificates('not a certificate', sound.replace('MII', 'MIJ'), sound.slice(0, 200), timeless),
    finds: ['e1', 'e2', 'e3', 'e4'].map(
      (uid) => `critical ${uid}${path}: the certificate cannot be parsed: ${stopped}`,
    ),
  },
  'finds that the client certificate has no key, and that the client key has no certificate': {
    sees: endpoints({ mtls_client_cert: { client_cert: sound } }, { mtls_client_cert: { client_key: masked } }),
    at: early,
    finds: [
      `critical e1/mtls_client_cert/client_key: the client certificate has no key: ${stopped}`,
      `critical e2${path}: the client key has no certificate: ${stopped}`,
    ],
  },
  'finds a certificate that expires within 30 days': {
    sees: withCertificates(sound),
    finds: [`high e1${path}: the certificate expires on 2026-12-01 (policy: valid for at least 30 more days)`],
  },
  'checks as many days ahead as the policy says': { sees: withCertificates(sound), options: { min_days: 7 } },
  'finds a short key and a broken hash': {
    sees: withCertificates(weak),
    finds: [`medium e1${path}: the certificate has an RSA key of 1024 bits (minimum: 2048) and is signed with SHA-1`],
  },
  'says all of an expired certificate at once': {
    sees: withCertificates(ended),
    finds: [`critical e1${path}: the certificate expired on 2025-07-01: ${stopped}`],
  },
  'leaves a sound certificate alone, also as the first of a chain': {
    sees: withCertificates(sound, sound + weak),
    at: early,
  },
  'is silent where no certificate is shown, and about one that the service masks': {
    sees: [...endpoints({}, { mtls_client_cert: null }), ...withCertificates(masked)],
  },
}
