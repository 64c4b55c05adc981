import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { AuditError } from '../model/errors.ts'

/** A new Ed25519 pair as PEM: PKCS#8 to keep, SPKI to give away. */
export function generateKeys(): { readonly privatePem: string; readonly publicPem: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  }
}

/**
 * @param file for the message alone
 * @throws AuditError.usage when it is no Ed25519 private key
 */
export function readPrivateKey(pem: string, file: string): KeyObject {
  return ed25519(() => createPrivateKey(pem), 'private', file)
}

/** @throws AuditError.usage when it is no Ed25519 public key */
export function readPublicKey(pem: string, file: string): KeyObject {
  // From a private key Node would derive the public one: whoever gives that out has made a mistake worth telling.
  if (pem.includes('PRIVATE KEY')) {
    throw AuditError.usage(`${file} holds a private key, expected the public one`, { advice: 'it ends in .pub' })
  }
  return ed25519(() => createPublicKey(pem), 'public', file)
}

function ed25519(read: () => KeyObject, which: 'private' | 'public', file: string): KeyObject {
  const advice = '`hookdrift keygen FILE` makes a pair'
  let key: KeyObject
  try {
    key = read()
  } catch (cause) {
    // What OpenSSL says of a broken key helps nobody, and must not repeat what the file holds.
    throw AuditError.usage(`${file} holds no ${which} key in PEM form without a passphrase`, { advice, cause })
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw AuditError.usage(`${file} holds a key of another kind (${key.asymmetricKeyType}), expected Ed25519`, {
    advice,
  })
}
