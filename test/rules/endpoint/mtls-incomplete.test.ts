import { describe, expect, it } from 'vitest'
import { mtlsIncomplete } from '../../../src/rules/endpoint/mtls-incomplete.ts'
import { masked, problemsOf } from './judge-endpoint.ts'

describe('endpoint/mtls-incomplete', () => {
  it('finds a certificate without its key, and a key without its certificate', () => {
    expect(problemsOf(mtlsIncomplete, { mtls_client_cert: { client_cert: 'pem' } })).toEqual([
      { path: '/mtls_client_cert/client_key', message: 'a certificate without its key' },
    ])
    expect(problemsOf(mtlsIncomplete, { mtls_client_cert: { client_key: masked } })).toEqual([
      { path: '/mtls_client_cert/client_cert', message: 'a key without its certificate' },
    ])
  })

  it('leaves both alone, the key masked', () => {
    expect(problemsOf(mtlsIncomplete, { mtls_client_cert: { client_cert: 'pem', client_key: masked } })).toEqual([])
  })

  it('is silent where none is shown', () => {
    expect(problemsOf(mtlsIncomplete, {})).toEqual([])
    expect(problemsOf(mtlsIncomplete, { mtls_client_cert: null })).toEqual([])
  })
})
