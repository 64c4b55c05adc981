import { hash } from 'node:crypto'

/** Of all names in reports of hookdrift. */
const namespace = 'c8a0d1f4-5d0b-5c7e-9a53-3b1f6f6f0c27'

/** The UUID (version 5, RFC 9562) of a name: the same whenever the report is written. */
export function nameUuid(...name: readonly (string | number | null)[]): string {
  const bytes = Buffer.concat([Buffer.from(namespace.replaceAll('-', ''), 'hex'), Buffer.from(JSON.stringify(name))])
  const digest = Buffer.from(hash('sha1', bytes, 'hex'), 'hex').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  return digest.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
