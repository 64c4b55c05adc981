import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'
import { z } from 'zod'

/** A DSSE envelope (https://github.com/secure-systems-lab/dsse, version 1): a signed payload with its type. */
export type Envelope = z.infer<typeof envelopeSchema>

const base64 = z
  .string()
  .max(10_000_000)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/)

export const envelopeSchema = z.object({
  payloadType: z.string().max(200),
  payload: base64,
  signatures: z
    .array(z.object({ keyid: z.string().max(200).default(''), sig: base64 }))
    .min(1)
    .max(100),
})

/** @param key an Ed25519 private key */
export function seal(payloadType: string, payload: string, key: KeyObject): Envelope {
  const sig = sign(null, toBeSigned(payloadType, payload), key).toString('base64')
  return {
    payloadType,
    payload: Buffer.from(payload).toString('base64'),
    signatures: [{ keyid: keyIdOf(createPublicKey(key)), sig }],
  }
}

/** Whether one of its signatures is this key's and covers the payload and its type. */
export function isSignedBy({ payloadType, payload, signatures }: Envelope, key: KeyObject): boolean {
  const signed = toBeSigned(payloadType, Buffer.from(payload, 'base64'))
  return signatures.some(({ sig }) => verify(null, signed, key, Buffer.from(sig, 'base64')))
}

/** SHA-256 in hex of a public key's SPKI form. */
export function keyIdOf(publicKey: KeyObject): string {
  return hash('sha256', publicKey.export({ type: 'spki', format: 'der' }))
}

/** Pre-authentication encoding: lengths keep type and payload apart. */
function toBeSigned(payloadType: string, payload: string | Buffer): Buffer {
  const body = Buffer.from(payload as string)
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${body.length} `
  return Buffer.concat([Buffer.from(head), body])
}
