import { describe, expect, it } from 'vitest'
import { oauthUrlPrivate } from '../../../src/rules/endpoint/oauth-url-private.ts'
import { problemsOf } from './judge-endpoint.ts'

const withUrl = (url: string) => ({ authentication: { type: 'oauth2', oauth2: { url } } })
const path = '/authentication/oauth2/url'

describe('endpoint/oauth-url-private', () => {
  it.each([
    ['https://169.254.169.254/token', 'the token server 169.254.169.254 is a cloud metadata address'],
    ['https://localhost/token', 'the token server localhost is the gateway itself'],
    ['https://10.0.0.1/token', 'the token server 10.0.0.1 is a private address'],
    ['https://idp.internal/token', 'the token server idp.internal is a private address'],
  ])('finds %s', (url, message) => {
    expect(problemsOf(oauthUrlPrivate, withUrl(url))).toEqual([{ path, message }])
  })

  it('leaves a public token server alone', () => {
    expect(problemsOf(oauthUrlPrivate, withUrl('https://idp.example/token'))).toEqual([])
  })

  it('allows the hosts and ranges of the policy, metadata only by name', () => {
    const options = { allow_hosts: ['*.internal'], allow_ranges: ['0.0.0.0/0'] }
    expect(problemsOf(oauthUrlPrivate, withUrl('https://idp.internal/token'), { options })).toEqual([])
    expect(problemsOf(oauthUrlPrivate, withUrl('https://10.0.0.1/token'), { options })).toEqual([])
    expect(problemsOf(oauthUrlPrivate, withUrl('https://169.254.169.254/token'), { options })).toHaveLength(1)
  })

  it('is silent where no token address is shown', () => {
    expect(problemsOf(oauthUrlPrivate, { authentication: { type: 'oauth2', oauth2: { client_id: 'c' } } })).toEqual([])
    expect(problemsOf(oauthUrlPrivate, {})).toEqual([])
  })
})
