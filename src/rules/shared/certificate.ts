import { X509Certificate } from 'node:crypto'

/** What rules ask of a certificate. Times in milliseconds since the epoch. */
export interface Certificate {
  readonly notBefore: number
  readonly notAfter: number
  /** undefined for keys that are not RSA. */
  readonly rsaBits: number | undefined
  /** The hash of its signature where that is broken: `SHA-1`. */
  readonly brokenHash: string | undefined
}

const certificates = new Map<string, Certificate | undefined>()
const maxCertificates = 256

/** The first certificate of a PEM text; undefined when it cannot be read. Each text is parsed once. */
export function certificateOf(pem: string): Certificate | undefined {
  if (certificates.has(pem)) return certificates.get(pem)
  if (certificates.size >= maxCertificates) certificates.clear()
  const certificate = parse(pem)
  certificates.set(pem, certificate)
  return certificate
}

/** `2026-12-01` */
export function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function parse(pem: string): Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem)
    const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey
    const [notBefore, notAfter] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
    // Node takes a certificate whose times are none.
    if (Number.isNaN(notBefore + notAfter)) return undefined
    return {
      notBefore,
      notAfter,
      rsaBits: asymmetricKeyType?.startsWith('rsa') ? asymmetricKeyDetails?.modulusLength : undefined,
      brokenHash: brokenHashes.get(signatureAlgorithmOf(certificate.raw)),
    }
  } catch {
    return undefined
  }
}

/** Object identifiers of signature algorithms, as DER contents in hex (RFC 3279, 2.2). */
const brokenHashes = new Map([
  ['2a864886f70d010102', 'MD2'],
  ['2a864886f70d010104', 'MD5'],
  ['2a864886f70d010105', 'SHA-1'],
  ['2a8648ce3d0401', 'SHA-1'],
  ['2a8648ce380403', 'SHA-1'],
  ['2b0e03021d', 'SHA-1'],
])

/** Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { OBJECT IDENTIFIER, … }, … } (RFC 5280, 4.1) */
function signatureAlgorithmOf(der: Buffer): string {
  const whole = contentsAt(der, 0)
  const signed = contentsAt(der, whole.start)
  const algorithm = contentsAt(der, signed.end)
  const identifier = contentsAt(der, algorithm.start)
  return der.toString('hex', identifier.start, identifier.end)
}

/** Where the contents of the DER element at `at` begin and end. */
function contentsAt(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const first = der.readUInt8(at + 1)
  if (first < 0x80) return { start: at + 2, end: at + 2 + first }
  const lengthBytes = first & 0x7f
  const start = at + 2 + lengthBytes
  return { start, end: start + der.readUIntBE(at + 2, lengthBytes) }
}
