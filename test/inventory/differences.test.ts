import { describe, expect, it } from 'vitest'
import { carryOver, diffAttributes } from '../../src/inventory/diff-attributes.ts'
import { compareShapes, narrowBy, type Shape, shapeOf } from '../../src/inventory/shape.ts'
import { takeInventory } from '../../src/inventory/take-inventory.ts'
import type { JsonObject } from '../../src/model/json.ts'
import type { Resource } from '../../src/model/resource.ts'
import { between, endpoint, sealer, source } from './inventory-fixture.ts'

describe('a difference', () => {
  it('is reported where an optional field was added', () => {
    expect(between('endpoints', {}, { owner_id: 'tenant-1' })).toEqual([
      { path: '/owner_id', before: null, after: 'tenant-1' },
    ])
  })
  it('is not reported between a mask and a value that it may hide, and is when the mask goes', () => {
    const auth = (password: string) => ({
      authentication: { type: 'basic_auth', basic_auth: { username: 'u', password } },
    })
    expect(between('endpoints', auth('[REDACTED]'), auth('visible'))).toEqual([])
    expect(between('endpoints', auth('[REDACTED]'), { authentication: {} })).toHaveLength(1)
  })
  it('in a filter is exact, key by key', () => {
    const filter = (body: JsonObject) => ({ filter_config: { event_types: ['*'], filter: { body } } })
    expect(between('subscriptions', filter({ a: 1 }), filter({ a: 1, 'b/c': 2 }))).toEqual([
      { path: '/filter_config/filter/body/b~1c', before: null, after: 2 },
    ])
  })
  it('of a stub and the full source is not reported', () => {
    const full = source({
      name: 's',
      type: 'http',
      is_disabled: true,
      verifier: { type: 'noop' },
      body_function: 'function transform(p) { return p }',
      forward_headers: [],
      pub_sub: { type: '', workers: 0 },
    })
    const stub = { uid: 'u', name: 's', type: 'http', is_disabled: true, verifier: null, body_function: null }
    const [lifted] = takeInventory('subscriptions', [{ uid: 'x', source_metadata: stub }], sealer).lifted
    expect(diffAttributes('source', full.attributes, lifted?.attributes ?? {}, { sealsComparable: true })).toEqual([])
    expect(carryOver('source', full.attributes, lifted?.attributes ?? {})).toEqual(full.attributes)
  })
})

describe('a shape', () => {
  const shapeOfAll = (items: readonly Resource[]) =>
    items.reduce<Shape>((before, item) => narrowBy(before, shapeOf(item)), undefined)

  it('is what every item shows, and reveals an upgrade', () => {
    const before = shapeOfAll([endpoint({ name: 'a' }), endpoint({ name: 'b', zone: 'eu' })])
    const after = shapeOfAll([endpoint({ name: 'a', content_type: 'application/json' })])
    expect(compareShapes(before, after)).toEqual({ appeared: ['content_type'], vanished: [] })
    expect(compareShapes(before, before)).toBeUndefined()
    expect(compareShapes(undefined, after)).toBeUndefined()
  })
})
