import { hash } from 'node:crypto'

/** The namespace of all names in hookdrift's reports. */
const namespace = Buffer.from('c8a0d1f45d0b5c7e9a533b1f6f6f0c27', 'hex')

/** The UUID (version 5, RFC 9562) of a name: the same each time that the report is written. */
export function nameUuid(...name: readonly (string | number | null)[]): string {
  const bytes = Buffer.concat([namespace, Buffer.from(JSON.stringify(name))])
  const digest = hash('sha1', bytes, 'buffer').subarray(0, 16)
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80
  const hex = digest.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
