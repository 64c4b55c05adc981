import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { keyIdOf } from '../../src/attestation/envelope.ts'
import { generateKeys, readPrivateKey, readPublicKey } from '../../src/attestation/keys.ts'

const { privatePem, publicPem } = generateKeys()
const pairOf = (type: 'rsa' | 'ed448') =>
  type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 1024 }) : generateKeyPairSync('ed448')

describe('a pair of keys', () => {
  it('is read back from its two files, and is another one each time', () => {
    expect(readPrivateKey(privatePem, 'key').asymmetricKeyType).toBe('ed25519')
    const id = keyIdOf(readPublicKey(publicPem, 'key.pub'))
    expect(id).toMatch(/^[0-9a-f]{64}$/)
    expect(keyIdOf(readPublicKey(generateKeys().publicPem, 'key.pub'))).not.toBe(id)
  })

  it.each([
    ['a private key where the public one belongs', () => readPublicKey(privatePem, 'f'), /^f contains a private key/],
    ['a public key where the private one belongs', () => readPrivateKey(publicPem, 'f'), /^f does not contain a priv/],
    ['a text that is not PEM', () => readPublicKey('swordfish', 'f'), /^f does not contain a public key in PEM form/],
    [
      'a key with a passphrase',
      () =>
        readPrivateKey(
          generateKeyPairSync('ed25519')
            .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'swordfish' })
            .toString(),
          'f',
        ),
      /^f does not contain a private key in PEM form without a passphrase$/,
    ],
    [
      'an RSA key',
      () => readPublicKey(pairOf('rsa').publicKey.export({ type: 'spki', format: 'pem' }).toString(), 'f'),
      /^f contains a key of another kind \(rsa\), expected Ed25519$/,
    ],
    [
      'a key of the longer curve',
      () => readPrivateKey(pairOf('ed448').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 'f'),
      /^f contains a key of another kind \(ed448\), expected Ed25519$/,
    ],
  ])('is refused as a mistake of usage, without its text: %s', (_, read, message) => {
    expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) }))
    expect(read).not.toThrow(/swordfish/)
  })
})
