import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { AuditError } from '../model/errors.ts'

/** Generates an Ed25519 pair as PEM: PKCS#8 to keep, SPKI to publish. */
export function generateKeys(): { readonly privatePem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/**
 * @param file for the message only
 * @throws AuditError.usage when it is not an Ed25519 private key
 */
export function readPrivateKey(pem: string, file: string): KeyObject {
  return ed25519(() => createPrivateKey(pem), 'private', file)
}

/** @throws AuditError.usage when it is not an Ed25519 public key */
export function readPublicKey(pem: string, file: string): KeyObject {
  // Node would derive the public key from a private one, but a private key in this place is a mistake to report.
  if (pem.includes('PRIVATE KEY')) {
    throw AuditError.usage(`${file} contains a private key, expected the public one`, {
      advice: 'pass the file that ends in .pub',
    })
  }
  return ed25519(() => createPublicKey(pem), 'public', file)
}

function ed25519(read: () => KeyObject, which: 'private' | 'public', file: string): KeyObject {
  const advice = 'run `hookdrift keygen FILE` to make a pair'
  let key: KeyObject
  try {
    key = read()
  } catch (cause) {
    // OpenSSL's message about a broken key does not help, and must not repeat the file's content.
    throw AuditError.usage(`${file} does not contain a ${which} key in PEM form without a passphrase`, {
      advice,
      cause,
    })
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw AuditError.usage(`${file} contains a key of another kind (${key.asymmetricKeyType}), expected Ed25519`, {
    advice,
  })
}
