import { sound, timeless, weak } from '../certificates.ts'
import { type Cases, endpoints, masked } from '../rule-cases.ts'

const path = '/mtls_client_cert/client_cert'
const withCertificates = (...all: readonly string[]) =>
  endpoints(...all.map((client_cert) => ({ mtls_client_cert: { client_cert, client_key: masked } })))

export const cases: Cases = {
  'finds a short key and a broken hash': {
    sees: withCertificates(weak),
    finds: [`medium e1${path}: the certificate has an RSA key of 1024 bits (minimum: 2048) and is signed with SHA-1`],
  },
  'finds a certificate that is not valid yet': {
    sees: withCertificates(sound),
    at: '2025-12-31T00:00:00Z',
    finds: [`medium e1${path}: the certificate is not valid before 2026-01-01`],
  },
  'finds what does not parse, and does not fail over it': {
    sees: withCertificates('not a certificate', sound.replace('MII', 'MIJ'), sound.slice(0, 200)),
    finds: ['e1', 'e2', 'e3'].map((uid) => `medium ${uid}${path}: the certificate cannot be parsed`),
  },
  'finds a certificate whose time is none': {
    sees: withCertificates(timeless),
    finds: [`medium e1${path}: the certificate cannot be parsed`],
  },
  'leaves a sound certificate alone, also as the first of a chain': { sees: withCertificates(sound, sound + weak) },
  'is silent where no certificate is shown': {
    sees: endpoints({}, { mtls_client_cert: null }, { mtls_client_cert: { client_key: masked } }),
  },
  'is silent about a certificate that the service masks': { sees: withCertificates(masked) },
}
