import { describe, expect, it } from 'vitest'
import { mtlsExpiring } from '../../../src/rules/endpoint/mtls-expiring.ts'
import { sound } from './certificates.ts'
import { masked, problemsOf } from './judge-endpoint.ts'

const mtls_client_cert = { client_cert: sound, client_key: masked }

describe('endpoint/mtls-expiring', () => {
  it('finds a certificate that expires within 30 days', () => {
    expect(problemsOf(mtlsExpiring, { mtls_client_cert })).toEqual([
      { path: '/mtls_client_cert/client_cert', message: 'expires on 2026-12-01' },
    ])
  })

  it('leaves a certificate alone that lasts, and an expired one to another rule', () => {
    expect(problemsOf(mtlsExpiring, { mtls_client_cert }, { now: Date.parse('2026-10-01T00:00:00Z') })).toEqual([])
    expect(problemsOf(mtlsExpiring, { mtls_client_cert }, { now: Date.parse('2026-12-02T00:00:00Z') })).toEqual([])
  })

  it('looks as far ahead as the policy says', () => {
    expect(problemsOf(mtlsExpiring, { mtls_client_cert }, { options: { min_days: 7 } })).toEqual([])
  })

  it('is silent about what cannot be parsed and where none is shown', () => {
    expect(problemsOf(mtlsExpiring, { mtls_client_cert: { client_cert: 'not a certificate' } })).toEqual([])
    expect(problemsOf(mtlsExpiring, { mtls_client_cert: null })).toEqual([])
    expect(problemsOf(mtlsExpiring, {})).toEqual([])
  })
})
