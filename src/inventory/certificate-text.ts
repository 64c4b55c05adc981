import { X509Certificate } from 'node:crypto'
import { longestText } from './bounds.ts'
import type { Sealer } from './sealer.ts'

/** Splits a text into certificates, at the odd indexes, and the text between them. */
const certificates = /(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s\\]+-----END CERTIFICATE-----)/

/** A certificate is public and appears random. Any other text in its field is sealed: it may be the private key. */
export function sealCertificate(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  const parts = text.split(certificates)
  const isOther = (part: string, index: number) => index % 2 === 0 && part.trim() !== ''
  if (!parts.some(isOther) || isEncodedCertificate(text)) return text
  if (parts.length === 1) return sealer.seal(text)
  return parts.map((part, index) => (isOther(part, index) ? sealer.seal(part.trim()) : part)).join('\n')
}

/** In Base64, as some services keep it. */
function isEncodedCertificate(text: string): boolean {
  const bare = text.trim()
  if (!/^[A-Za-z0-9+/]{64,}={0,2}$/.test(bare.replace(/\s/g, ''))) return false
  try {
    return new X509Certificate(Buffer.from(bare, 'base64')).subject !== undefined
  } catch {
    return false
  }
}
