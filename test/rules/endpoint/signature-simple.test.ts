import { describe, expect, it } from 'vitest'
import { signatureSimple } from '../../../src/rules/endpoint/signature-simple.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/signature-simple', () => {
  it('finds a signature without a timestamp', () => {
    expect(problemsOf(signatureSimple, { advanced_signatures: false })).toEqual([
      { path: '/advanced_signatures', message: 'signs the payload without a timestamp: a copy stays valid' },
    ])
  })

  it('leaves an advanced signature alone', () => {
    expect(problemsOf(signatureSimple, { advanced_signatures: true })).toEqual([])
  })

  it('is silent where it is not shown', () => {
    expect(problemsOf(signatureSimple, {})).toEqual([])
    expect(problemsOf(signatureSimple, { advanced_signatures: null })).toEqual([])
  })
})
