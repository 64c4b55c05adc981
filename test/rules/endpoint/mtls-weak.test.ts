import { describe, expect, it } from 'vitest'
import { mtlsWeak } from '../../../src/rules/endpoint/mtls-weak.ts'
import { sound, weak } from './certificates.ts'
import { masked, now, problemsOf } from './judge-endpoint.ts'

const path = '/mtls_client_cert/client_cert'
const judge = (client_cert: string, at = now) =>
  problemsOf(mtlsWeak, { mtls_client_cert: { client_cert, client_key: masked } }, { now: at })

describe('endpoint/mtls-weak', () => {
  it('finds a short key and a broken hash', () => {
    expect(judge(weak)).toEqual([
      { path, message: 'the certificate has an RSA key of 1024 bits, is signed with SHA-1' },
    ])
  })

  it('finds a certificate that is not valid yet', () => {
    expect(judge(sound, Date.parse('2025-12-31T00:00:00Z'))).toEqual([
      { path, message: 'the certificate is not valid before 2026-01-01' },
    ])
  })

  it.each(['not a certificate', sound.replace('MII', 'MIJ'), sound.slice(0, 200)])(
    'finds what cannot be parsed, without falling over it',
    (client_cert) => {
      expect(judge(client_cert)).toEqual([{ path, message: 'the certificate cannot be parsed' }])
    },
  )

  it('leaves a sound certificate alone, the first of a chain', () => {
    expect(judge(sound)).toEqual([])
    expect(judge(sound + weak)).toEqual([])
  })

  it('is silent where none is shown', () => {
    expect(problemsOf(mtlsWeak, {})).toEqual([])
    expect(problemsOf(mtlsWeak, { mtls_client_cert: null })).toEqual([])
    expect(problemsOf(mtlsWeak, { mtls_client_cert: { client_key: masked } })).toEqual([])
  })
})
