import { describe, expect, it } from 'vitest'
import { authMismatch } from '../../../src/rules/endpoint/auth-mismatch.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const path = '/authentication/type'
const apiKey = { header_name: 'X-Key', header_value: seal('a') }
const basic = { username: 'bob', password: masked }

describe('endpoint/auth-mismatch', () => {
  it('finds a type whose member is missing', () => {
    expect(problemsOf(authMismatch, { authentication: { type: 'api_key' } })).toEqual([
      { path, message: 'the type is api_key, yet nothing is filled' },
    ])
    expect(problemsOf(authMismatch, { authentication: { type: 'oauth2', basic_auth: basic } })).toEqual([
      { path, message: 'the type is oauth2, yet basic_auth is filled' },
    ])
  })

  it('finds a member of another type beside its own', () => {
    const authentication = { type: 'api_key', api_key: apiKey, basic_auth: basic }
    expect(problemsOf(authMismatch, { authentication })).toEqual([
      { path, message: 'the type is api_key, yet basic_auth is filled as well' },
    ])
  })

  it('finds credentials without a type', () => {
    expect(problemsOf(authMismatch, { authentication: { api_key: apiKey } })).toEqual([
      { path, message: 'the type is empty, yet api_key is filled' },
    ])
  })

  it('leaves a type with its own member alone', () => {
    expect(problemsOf(authMismatch, { authentication: { type: 'api_key', api_key: apiKey } })).toEqual([])
    expect(problemsOf(authMismatch, { authentication: { type: 'basic_auth', basic_auth: basic } })).toEqual([])
  })

  it('takes a mask alone in another member for nothing', () => {
    const authentication = { type: 'api_key', api_key: apiKey, basic_auth: { password: masked } }
    expect(problemsOf(authMismatch, { authentication })).toEqual([])
  })

  it('does not judge a type that it does not know', () => {
    expect(problemsOf(authMismatch, { authentication: { type: 'hmac', api_key: apiKey } })).toEqual([])
  })

  it('is silent without authentication and where none is shown', () => {
    expect(problemsOf(authMismatch, { authentication: null })).toEqual([])
    expect(problemsOf(authMismatch, {})).toEqual([])
  })
})
