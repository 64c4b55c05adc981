import { describe, expect, it } from 'vitest'
import { orphan } from '../../../src/rules/endpoint/orphan.ts'
import { problemsAcross } from './judge-endpoint.ts'

const endpoint = { uid: 'e1', attributes: {} }
const subscription = (endpoint_uid: string | null) => ({
  uid: 's1',
  kind: 'subscription' as const,
  attributes: { endpoint_uid },
})

describe('endpoint/orphan', () => {
  it('finds an endpoint that no subscription delivers to', () => {
    const problem = { uid: 'e1', path: '', message: 'no subscription delivers to it' }
    expect(problemsAcross(orphan, [endpoint])).toEqual([problem])
    expect(problemsAcross(orphan, [endpoint, subscription('e2'), subscription(null)])).toEqual([problem])
  })

  it('leaves an endpoint alone that has one', () => {
    expect(problemsAcross(orphan, [endpoint, subscription('e1')])).toEqual([])
    expect(problemsAcross(orphan, [subscription('e1'), endpoint])).toEqual([])
  })

  it('concludes nothing where not all subscriptions were seen', () => {
    expect(problemsAcross(orphan, [endpoint], ['subscription'])).toEqual([])
    expect(orphan.needs).toEqual(['endpoint', 'subscription'])
  })
})
