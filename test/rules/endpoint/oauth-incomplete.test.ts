import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/model/json.ts'
import { oauthIncomplete } from '../../../src/rules/endpoint/oauth-incomplete.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const url = 'https://idp.example/token'
const at = (member: string) => `/authentication/oauth2/${member}`
const judge = (oauth2: JsonObject, type = 'oauth2') => problemsOf(oauthIncomplete, { authentication: { type, oauth2 } })

describe('endpoint/oauth-incomplete', () => {
  it('finds a shared secret that is not there', () => {
    expect(judge({ url, authentication_type: 'shared_secret' })).toEqual([
      { path: at('client_secret'), message: 'shared_secret without a client secret' },
    ])
  })

  it('finds all that an assertion lacks', () => {
    expect(judge({ url, authentication_type: 'client_assertion' })).toEqual([
      { path: at('signing_key'), message: 'client_assertion without a signing key' },
      { path: at('issuer'), message: 'client_assertion without an issuer' },
      { path: at('subject'), message: 'client_assertion without a subject' },
    ])
  })

  it('finds a key that cannot sign', () => {
    const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }
    const oauth2 = { url, authentication_type: 'client_assertion', issuer: 'i', subject: 's', signing_key: key }
    expect(judge(oauth2)).toEqual([
      { path: at('signing_key'), message: 'client_assertion with a public key only: it signs nothing' },
    ])
  })

  it('finds a token address that is missing or does not parse', () => {
    const whole = { authentication_type: 'shared_secret', client_secret: seal('a') }
    expect(judge(whole)).toEqual([{ path: at('url'), message: 'no token address' }])
    expect(judge({ ...whole, url: 'idp' })).toEqual([{ path: at('url'), message: 'the token address does not parse' }])
  })

  it('leaves complete settings alone, masked or not', () => {
    for (const secret of [seal('a'), masked]) {
      expect(judge({ url, authentication_type: 'shared_secret', client_secret: secret })).toEqual([])
      const signing_key = { kty: 'EC', crv: 'P-256', d: secret }
      const oauth2 = { url, authentication_type: 'client_assertion', issuer: 'i', subject: 's', signing_key }
      expect(judge(oauth2)).toEqual([])
    }
  })

  it('leaves settings alone that are not in use, or of a type it does not know', () => {
    expect(judge({ url, authentication_type: 'shared_secret' }, 'api_key')).toEqual([])
    expect(judge({ url, authentication_type: 'magic' })).toEqual([])
  })

  it('is silent where nothing is shown', () => {
    expect(problemsOf(oauthIncomplete, {})).toEqual([])
    expect(problemsOf(oauthIncomplete, { authentication: null })).toEqual([])
  })
})
