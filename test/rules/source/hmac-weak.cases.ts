import { aSource, type Cases } from '../rule-cases.ts'

const hmac = (hash: string) => aSource({ verifier: { type: 'hmac', hmac: { hash } } })

export const cases: Cases = {
  'finds MD5': {
    sees: [hmac('MD5')],
    finds: ['high q1/verifier/hmac/hash: verifies events with HMAC-MD5 (recommended: SHA256)'],
  },
  'finds SHA1 in another spelling': {
    sees: [hmac('sha-1')],
    finds: ['high q1/verifier/hmac/hash: verifies events with HMAC-sha-1 (recommended: SHA256)'],
  },
  'is milder about SHA224': {
    sees: [hmac('SHA224')],
    finds: ['low q1/verifier/hmac/hash: verifies events with HMAC-SHA224 (recommended: SHA256)'],
  },
  'leaves other hashes alone': { sees: ['SHA256', 'SHA512_256', 'SHA3_224', 'something-new'].map(hmac) },
  'leaves a hash that another verifier left behind alone': {
    sees: [aSource({ verifier: { type: 'api_key', hmac: { hash: 'MD5' } } })],
  },
  'is silent where the hash is not shown': { sees: [aSource({ verifier: { type: 'hmac' } })] },
}
