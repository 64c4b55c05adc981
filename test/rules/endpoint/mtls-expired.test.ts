import { describe, expect, it } from 'vitest'
import { mtlsExpired } from '../../../src/rules/endpoint/mtls-expired.ts'
import { sound } from './certificates.ts'
import { masked, problemsOf } from './judge-endpoint.ts'

const mtls_client_cert = { client_cert: sound, client_key: masked }

describe('endpoint/mtls-expired', () => {
  it('finds a certificate past its end, and names the day', () => {
    expect(problemsOf(mtlsExpired, { mtls_client_cert }, { now: Date.parse('2026-12-02T00:00:00Z') })).toEqual([
      { path: '/mtls_client_cert/client_cert', message: 'expired on 2026-12-01' },
    ])
  })

  it('leaves a certificate alone that lasts', () => {
    expect(problemsOf(mtlsExpired, { mtls_client_cert })).toEqual([])
  })

  it('leaves what cannot be parsed to another rule, and is silent where none is shown', () => {
    expect(problemsOf(mtlsExpired, { mtls_client_cert: { client_cert: 'not a certificate' } })).toEqual([])
    expect(problemsOf(mtlsExpired, { mtls_client_cert: { client_key: masked } })).toEqual([])
    expect(problemsOf(mtlsExpired, { mtls_client_cert: null })).toEqual([])
    expect(problemsOf(mtlsExpired, {})).toEqual([])
  })
})
