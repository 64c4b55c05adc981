import { X509Certificate } from 'node:crypto'
import { longestText } from './bounds.ts'
import type { Sealer } from './sealer.ts'

/** A certificate is public and looks random; whatever else stands in its place is sealed: it may be the private key. */
export function sealCertificate(text: string, sealer: Sealer): string {
  if (text.length > longestText) return sealer.seal(text)
  const rest = text.replace(/-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s\\]+-----END CERTIFICATE-----/g, '')
  if (rest.trim() === '' || isEncodedCertificate(text)) return text
  return rest === text ? sealer.seal(text) : sealBetween(text, sealer)
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

/** Each certificate stays, and what stands around them is sealed. */
function sealBetween(text: string, sealer: Sealer): string {
  const parts = text.split(/(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s\\]+-----END CERTIFICATE-----)/)
  return parts
    .map((part, index) => (index % 2 === 1 || part.trim() === '' ? part : sealer.seal(part.trim())))
    .join('\n')
}
