import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodePage, encodePage } from '../../src/marks/marked-page.ts'
import { KnownItem } from '../../src/model/raw-page.ts'

const shape = fc.constantFrom(new Set(['uid', 'url']), new Set(['uid']), new Set<string>())
const lifted = fc.record({
  kind: fc.constantFrom('source' as const, 'device' as const),
  uid: fc.string({ minLength: 1 }),
  version: fc.option(fc.nat()),
})
const item = fc
  .record({
    uid: fc.string({ minLength: 1 }),
    version: fc.integer({ min: 1, max: 0xffff_ffff }),
    until: fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1_000, max: 4_000_000_000_000 })),
    entries: fc.nat(255),
    shape,
    lifted: fc.array(lifted, { maxLength: 2 }),
    waivers: fc.array(fc.nat(9), { maxLength: 2 }),
  })
  .map((parts) => new KnownItem(parts))

it('a page comes back as it was kept, and no item holds longer than it did', () => {
  fc.assert(
    fc.property(fc.array(fc.option(item), { maxLength: 20 }), fc.nat(), (kept, start) => {
      const items = kept.map((one) => one ?? undefined)
      const digests = Buffer.concat(items.map((_, at) => Buffer.alloc(16, at + 1)))
      const page = decodePage(encodePage({ start, end: start + 9, evaluatedAt: 5, items, digests }))
      expect([page.start, page.end, page.evaluatedAt, page.length]).toEqual([start, start + 9, 5, items.length])
      expect(page.isWhole).toBe(!items.includes(undefined))
      for (const [at, before] of items.entries()) {
        const after = page.itemAt(at)
        expect(after === undefined).toBe(before === undefined)
        if (before === undefined || after === undefined) continue
        expect(page.isAt(at, Buffer.alloc(16, at + 1))).toBe(true)
        expect({ ...after, until: 0 }).toEqual({ ...before, until: 0 })
        expect(after.until).toBeLessThanOrEqual(before.until)
        expect(before.until - after.until < 1000 || before.until === after.until).toBe(true)
      }
    }),
  )
})

it('an item that every run must read is not kept', () => {
  const [one] = fc.sample(item, 1)
  if (one === undefined) throw new Error('no sample')
  for (const until of [Number.NEGATIVE_INFINITY, 0, 999]) {
    const items = [new KnownItem({ ...one, until })]
    const page = decodePage(encodePage({ start: 0, end: 1, evaluatedAt: 5, items, digests: Buffer.alloc(16) }))
    expect(page.itemAt(0)).toBeUndefined()
  }
})
