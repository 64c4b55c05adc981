import { describe, expect, it } from 'vitest'
import { oauthUrlHttp } from '../../../src/rules/endpoint/oauth-url-http.ts'
import { problemsOf } from './judge-endpoint.ts'

const withUrl = (url: string | undefined, type = 'oauth2') => ({
  authentication: { type, oauth2: { client_id: 'c', ...(url === undefined ? {} : { url }) } },
})
const path = '/authentication/oauth2/url'

describe('endpoint/oauth-url-http', () => {
  it('finds a token address that is not https', () => {
    expect(problemsOf(oauthUrlHttp, withUrl('http://idp.example/token'))).toEqual([
      { path, message: 'asks idp.example for tokens over http, client credentials included' },
    ])
  })

  it('leaves https alone, and settings that are not in use', () => {
    expect(problemsOf(oauthUrlHttp, withUrl('https://idp.example/token'))).toEqual([])
    expect(problemsOf(oauthUrlHttp, withUrl('http://idp.example/token', 'api_key'))).toEqual([])
  })

  it('is silent where no token address is shown', () => {
    expect(problemsOf(oauthUrlHttp, withUrl(undefined))).toEqual([])
    expect(problemsOf(oauthUrlHttp, {})).toEqual([])
    expect(problemsOf(oauthUrlHttp, { authentication: null })).toEqual([])
  })
})
