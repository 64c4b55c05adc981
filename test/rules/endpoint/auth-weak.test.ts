import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../src/model/resource.ts'
import { authWeak } from '../../../src/rules/endpoint/auth-weak.ts'
import { masked, problemsOf, seal } from './judge-endpoint.ts'

const keyPath = '/authentication/api_key/header_value'
const passwordPath = '/authentication/basic_auth/password'
const withKey = (header_value: string) => ({ authentication: { type: 'api_key', api_key: { header_value } } })
const withUser = (username: string, password: string) => ({
  authentication: { type: 'basic_auth', basic_auth: { username, password } },
})

describe('endpoint/auth-weak', () => {
  it('finds an API key under 16 characters, or one that can be guessed', () => {
    const short = { facts: { [keyPath]: { min_length: 8, weak: [] } } }
    expect(problemsOf(authWeak, withKey(seal('a')), short)).toEqual([
      { path: keyPath, message: 'weak API key: 8 to 15 characters' },
    ])
    const common: Facts = { [keyPath]: { min_length: 16, weak: ['common', 'few-characters'] } }
    expect(problemsOf(authWeak, withKey(seal('a')), { facts: common })).toEqual([
      { path: keyPath, message: 'weak API key: a common word, few different characters' },
    ])
  })

  it('finds default user names and passwords', () => {
    const facts: Facts = { [passwordPath]: { min_length: 0, weak: ['common'] } }
    expect(problemsOf(authWeak, withUser('Admin', seal('a')), { facts })).toEqual([
      { path: '/authentication/basic_auth/username', message: 'Admin is the user name that is tried first' },
      { path: passwordPath, message: 'weak password: a common word' },
    ])
  })

  it('leaves good credentials alone', () => {
    const facts = { [keyPath]: { min_length: 16, weak: [] }, [passwordPath]: { min_length: 8, weak: [] } }
    expect(problemsOf(authWeak, withKey(seal('a')), { facts })).toEqual([])
    expect(problemsOf(authWeak, withUser('hooks-tenant-01', seal('a')), { facts })).toEqual([])
  })

  it('never judges what the service masks', () => {
    const facts: Facts = { [passwordPath]: { min_length: 0, weak: ['common'] } }
    expect(problemsOf(authWeak, withUser('bob', masked), { facts })).toEqual([])
  })

  it('is silent without authentication and where none is shown', () => {
    expect(problemsOf(authWeak, {})).toEqual([])
    expect(problemsOf(authWeak, { authentication: null })).toEqual([])
  })
})
