import { describe, expect, it } from 'vitest'
import { filtersOf, filterText } from '../../src/audit/listing-filters.ts'
import type { Filters } from '../../src/gateway/service/settings.ts'
import type { Listing } from '../../src/model/resource.ts'

describe('the filters that coverage names', () => {
  it.each<[string, Filters]>([
    ['none', {}],
    ['an owner', { endpoints: { owner: 'tenant-03' } }],
    ['a name with spaces', { endpoints: { name: 'orders and payments' } }],
    ['both', { endpoints: { owner: 'a b', name: 'c = d' } }],
    ['a name of subscriptions', { subscriptions: { name: 'x=y z' } }],
    ['endpoints of subscriptions', { subscriptions: { endpoints: ['e1', 'e2'] } }],
    ['all of it', { endpoints: { owner: 'a', name: 'b' }, subscriptions: { name: 'c d', endpoints: ['e1', 'e2'] } }],
  ])('are those that the walk had: %s', (_, filters) => {
    const listings: readonly Listing[] = ['project', 'endpoints', 'subscriptions']
    const textsOf = (of: Filters) => listings.map((listing) => ({ listing, filter: filterText(listing, of) }))
    expect(textsOf(filtersOf(textsOf(filters)))).toEqual(textsOf(filters))
    expect(filtersOf(textsOf(filters))).toMatchObject(filters)
  })
})
