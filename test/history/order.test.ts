import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstInOrder } from '../../src/history/first-in-order.ts'

describe('the first in an order', () => {
  it('are those of the whole sorted list, of equal ones those added first', () => {
    const values = fc.array(fc.nat({ max: 20 }))
    fc.assert(
      fc.property(
        values,
        fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(Number.POSITIVE_INFINITY)),
        (all, most) => {
          const rows = all.map((key, place) => ({ key, place }))
          const order = (a: { key: number }, b: { key: number }) => a.key - b.key
          const first = firstInOrder(most, order)
          for (const row of rows) first.add(row)
          expect(first.values()).toEqual(rows.toSorted(order).slice(0, most))
        },
      ),
    )
  })
})
