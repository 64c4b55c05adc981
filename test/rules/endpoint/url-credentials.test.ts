import { describe, expect, it } from 'vitest'
import { urlCredentials } from '../../../src/rules/endpoint/url-credentials.ts'
import { problemsOf, seal } from './judge-endpoint.ts'

describe('endpoint/url-credentials', () => {
  it('finds a user and a password, sealed as they are', () => {
    expect(problemsOf(urlCredentials, { url: `https://${seal('a')}@a.example/` })).toEqual([
      { path: '/url', message: 'the address carries user and password', severity: 'high' },
    ])
  })

  it.each(['token', 'api_key', 'apiKey', 'X-Sig', 'access_token', 'PASSWORD'])('finds the parameter %s', (key) => {
    expect(problemsOf(urlCredentials, { url: `https://a.example/?a=1&${key}=${seal('a')}` })).toEqual([
      { path: '/url', message: `the address carries the parameter ${key}`, severity: 'medium' },
    ])
  })

  it('says all of it at once', () => {
    expect(problemsOf(urlCredentials, { url: `https://${seal('a')}@a.example/?token=x&sig=y` })).toEqual([
      {
        path: '/url',
        message: 'the address carries user and password, the parameter sig, the parameter token',
        severity: 'high',
      },
    ])
  })

  it('leaves other parameters alone, and empty ones', () => {
    for (const query of ['tenant=7', 'monkey=1', 'token=', 'tokens=1', `id=${seal('a')}`]) {
      expect(problemsOf(urlCredentials, { url: `https://a.example/?${query}` }), query).toEqual([])
    }
  })

  it('allows the hosts of the policy', () => {
    const options = { allow_hosts: ['*.logic.example'] }
    expect(problemsOf(urlCredentials, { url: 'https://eu.logic.example/?sig=x' }, { options })).toEqual([])
    expect(problemsOf(urlCredentials, { url: 'https://logic.example/?sig=x' }, { options })).toHaveLength(1)
  })

  it('is silent where no address is shown', () => {
    expect(problemsOf(urlCredentials, {})).toEqual([])
  })
})
