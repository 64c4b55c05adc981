import { aSource, type Cases, changed } from '../rule-cases.ts'

const hmac = (hash: string) => ({
  type: 'hmac',
  hmac: { hash, encoding: 'hex', header: 'X-Signature', secret: 'sealed:masked' },
})
const withSecret = (digit: string) => ({
  type: 'hmac',
  hmac: { hash: 'SHA256', header: 'X-Signature', secret: `sealed:${digit.repeat(32)}` },
})
const from = (verifier: ReturnType<typeof hmac> | { type: string } | null, type = 'http') => aSource({ type, verifier })

export const cases: Cases = {
  'finds a verifier that was removed, in either spelling': {
    compares: [
      changed(from(hmac('SHA256')), { type: 'http', verifier: null }),
      changed(from({ type: 'api_key' }), { type: 'http', verifier: { type: 'noop' } }),
    ],
    finds: [
      'critical q1/verifier: verification removed (was HMAC)',
      'critical q1/verifier: verification removed (was an API key)',
    ],
  },
  'finds a kind that binds no payload and replaces one that does': {
    compares: [changed(from(hmac('SHA256')), { type: 'http', verifier: { type: 'basic_auth' } })],
    finds: ['critical q1/verifier: verifies by basic authentication (was HMAC)'],
  },
  'leaves a verifier that refuses every event to another rule': {
    compares: [
      changed(from(hmac('SHA256')), { type: 'http', verifier: hmac('SHA1') }),
      changed(from(hmac('SHA256')), { type: 'http', provider: 'github', verifier: { type: 'api_key' } }),
      changed(from({ type: 'hmac' }), { type: 'http', provider: 'stripe', verifier: { type: 'noop' } }),
    ],
  },
  'finds that one which refused every event now takes any': {
    compares: [changed(from(hmac('MD5')), { type: 'http', provider: null, verifier: null })],
    finds: ['critical q1/verifier: verification removed (was HMAC)'],
  },
  'finds a secret that is back with another value, where it follows a loss': {
    compares: [
      changed(from(withSecret('1')), { type: 'http', verifier: withSecret('2') }, { lostSince: 5 }),
      changed(from(withSecret('1')), { type: 'http', verifier: withSecret('1') }, { lostSince: 5 }),
      changed(from(withSecret('1')), { type: 'http', verifier: withSecret('2') }),
    ],
    finds: ['low q1/verifier/hmac/secret: verification is back, with another value than in run 5'],
  },
  'is milder about a queue': {
    compares: [changed(from(hmac('SHA256'), 'pub_sub'), { type: 'pub_sub', verifier: null })],
    finds: ['info q1/verifier: verification removed (was HMAC)'],
  },
  'leaves 256 bits alone that replace 512': {
    compares: [changed(from(hmac('SHA512')), { type: 'http', verifier: hmac('SHA256') })],
  },
  'leaves a stronger verifier alone': { compares: [changed(from(null), { type: 'http', verifier: hmac('SHA256') })] },
  'is silent about kinds that it does not know': {
    compares: [changed(from(hmac('SHA256')), { type: 'http', verifier: { type: 'quantum' } })],
  },
  'is silent where the verifier is not shown': { compares: [changed(from(hmac('SHA256')), { type: 'http' })] },
}
