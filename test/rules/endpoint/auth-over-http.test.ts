import { describe, expect, it } from 'vitest'
import { authOverHttp } from '../../../src/rules/endpoint/auth-over-http.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const url = 'http://a.example/in'

describe('endpoint/auth-over-http', () => {
  it.each([
    [{ type: 'api_key', api_key: { header_value: seal('a') } }, 'an API key'],
    [{ type: 'basic_auth', basic_auth: { username: 'bob', password: masked } }, 'user and password'],
    [{ type: 'oauth2', oauth2: { url: 'https://idp.example/token' } }, 'an access token'],
  ])('finds %j', (authentication, credential) => {
    expect(problemsOf(authOverHttp, { url, authentication })).toEqual([
      { path: '/url', message: `sends ${credential} to a.example over plain http` },
    ])
  })

  it('finds user and password in the address', () => {
    expect(problemsOf(authOverHttp, { url: `http://${seal('a')}@a.example/in` })).toEqual([
      { path: '/url', message: 'sends user and password to a.example over plain http' },
    ])
  })

  it('leaves https alone, and http without credentials', () => {
    const authentication = { type: 'api_key', api_key: { header_value: seal('a') } }
    expect(problemsOf(authOverHttp, { url: 'https://a.example/in', authentication })).toEqual([])
    expect(problemsOf(authOverHttp, { url, authentication: null })).toEqual([])
    expect(problemsOf(authOverHttp, { url, authentication: { type: 'api_key' } })).toEqual([])
  })

  it('is silent where address or authentication is not shown', () => {
    expect(problemsOf(authOverHttp, { url })).toEqual([])
    expect(
      problemsOf(authOverHttp, { authentication: { type: 'api_key', api_key: { header_value: seal('a') } } }),
    ).toEqual([])
  })
})
