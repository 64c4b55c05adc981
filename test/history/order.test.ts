import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstInOrder } from '../../src/history/first-in-order.ts'
import { byCodePoint } from '../../src/history/report-order.ts'

describe('texts by code points', () => {
  it('are in the order of their bytes, as in databases', () => {
    const texts = ['', ...'a ab b é \ud7ff \ue000 \ufb00y \uffff 😀 😀x 😁 a😀 a\ufb00'.split(' ')]
    const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(texts.toReversed().sort(byCodePoint)).toEqual(byBytes)
    expect(texts.map((text) => byCodePoint(text, text))).toEqual(texts.map(() => 0))
  })
})

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
