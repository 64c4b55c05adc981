import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { oauthAlgorithmMismatch } from '../../../src/rules/endpoint/oauth-algorithm-mismatch.ts'
import { problemsOf } from './judge-endpoint.ts'

const judge = (signing_algorithm: string, signing_key: JsonObject, authentication_type = 'client_assertion') =>
  problemsOf(oauthAlgorithmMismatch, {
    authentication: { type: 'oauth2', oauth2: { authentication_type, signing_algorithm, signing_key } },
  })
const path = '/authentication/oauth2/signing_algorithm'

describe('endpoint/oauth-algorithm-mismatch', () => {
  it.each([
    ['RS256', { kty: 'EC', crv: 'P-256' }, 'RS256 takes a key of RSA, this one is of EC'],
    ['ES256', { kty: 'RSA' }, 'ES256 takes a key of EC, this one is of RSA'],
    ['ES512', { kty: 'EC', crv: 'P-256' }, 'ES512 takes a key of P-521, this one is of P-256'],
  ])('finds %s with %j', (algorithm, key, message) => {
    expect(judge(algorithm, key)).toEqual([{ path, message }])
  })

  it('leaves those alone that fit', () => {
    expect(judge('PS384', { kty: 'RSA' })).toEqual([])
    expect(judge('ES384', { kty: 'EC', crv: 'P-384' })).toEqual([])
    expect(judge('EdDSA', { kty: 'OKP', crv: 'Ed25519' })).toEqual([])
  })

  it('does not judge an algorithm that it does not know, or one that is not used', () => {
    expect(judge('constructor', { kty: 'EC' })).toEqual([])
    expect(judge('XX999', { kty: 'EC' })).toEqual([])
    expect(judge('RS256', { kty: 'EC' }, 'shared_secret')).toEqual([])
  })

  it('is silent where algorithm or key is not shown', () => {
    expect(judge('RS256', {})).toEqual([])
    expect(judge('ES256', { kty: 'EC' })).toEqual([])
    expect(
      problemsOf(oauthAlgorithmMismatch, { authentication: { type: 'oauth2', oauth2: { client_id: 'c' } } }),
    ).toEqual([])
    expect(problemsOf(oauthAlgorithmMismatch, {})).toEqual([])
  })
})
