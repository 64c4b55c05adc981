import { describe, expect, it } from 'vitest'
import { mtlsOverHttp } from '../../../src/rules/endpoint/mtls-over-http.ts'
import { masked, problemsOf } from './judge-endpoint.ts'

const mtls_client_cert = { client_cert: 'pem', client_key: masked }

describe('endpoint/mtls-over-http', () => {
  it('finds a certificate beside an address of plain http', () => {
    expect(problemsOf(mtlsOverHttp, { mtls_client_cert, url: 'http://a.example/in' })).toEqual([
      { path: '/url', message: 'a client certificate for a.example, and deliveries over plain http' },
    ])
  })

  it('leaves https alone, and http without a certificate', () => {
    expect(problemsOf(mtlsOverHttp, { mtls_client_cert, url: 'https://a.example/in' })).toEqual([])
    expect(problemsOf(mtlsOverHttp, { mtls_client_cert: null, url: 'http://a.example/in' })).toEqual([])
  })

  it('is silent where address or certificate is not shown', () => {
    expect(problemsOf(mtlsOverHttp, { mtls_client_cert })).toEqual([])
    expect(problemsOf(mtlsOverHttp, { url: 'http://a.example/in' })).toEqual([])
  })
})
