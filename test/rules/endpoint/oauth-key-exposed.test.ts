import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { oauthKeyExposed } from '../../../src/rules/endpoint/oauth-key-exposed.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const judge = (signing_key: JsonObject) =>
  problemsOf(oauthKeyExposed, { authentication: { type: 'oauth2', oauth2: { signing_key } } })

describe('endpoint/oauth-key-exposed', () => {
  it('finds private members that can be read', () => {
    expect(judge({ kty: 'RSA', n: 'n', e: 'AQAB', d: seal('d'), p: seal('b') })).toEqual([
      {
        path: '/authentication/oauth2/signing_key',
        message: 'anyone who may list endpoints can read d, p of the signing key',
      },
    ])
  })

  it('leaves a public key alone, and private members that are masked', () => {
    expect(judge({ kty: 'RSA', n: 'n', e: 'AQAB' })).toEqual([])
    expect(judge({ kty: 'EC', crv: 'P-256', d: masked })).toEqual([])
  })

  it('is silent where no key is shown', () => {
    expect(problemsOf(oauthKeyExposed, {})).toEqual([])
    expect(problemsOf(oauthKeyExposed, { authentication: null })).toEqual([])
  })
})
