import { describe, expect, it } from 'vitest'
import { ownerMissing } from '../../../src/rules/endpoint/owner-missing.ts'
import { problemsOf } from './judge-endpoint.ts'

describe('endpoint/owner-missing', () => {
  it('finds an endpoint without owner', () => {
    expect(problemsOf(ownerMissing, { owner_id: null })).toEqual([{ path: '/owner_id', message: 'no owner' }])
  })

  it('leaves an owned endpoint alone', () => {
    expect(problemsOf(ownerMissing, { owner_id: 'tenant-01' })).toEqual([])
  })

  it('is silent where the owner is not shown', () => {
    expect(problemsOf(ownerMissing, {})).toEqual([])
  })

  it('is in no pack', () => {
    expect(ownerMissing.packs).toEqual([])
  })
})
