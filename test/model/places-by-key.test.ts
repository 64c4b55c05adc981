import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PlacesByKey } from '../../src/model/places-by-key.ts'

/** Makes it so large that it keeps digests alone. */
function filled(from: number): PlacesByKey {
  const places = new PlacesByKey()
  for (let at = 0; at < 25_000; at++) places.add(`filled-${from + at}`, at)
  return places
}

describe('places by text', () => {
  // Few, so that many are added again.
  const texts = fc.array(fc.constantFrom(...'abcdefghij', '', '\u{1f600}', 'ab'), { maxLength: 60 })

  it.each([
    ['few', () => new PlacesByKey()],
    ['many', () => filled(0)],
  ])('are those of a map, with %s of them', (_, open) => {
    fc.assert(
      fc.property(texts, texts, fc.boolean(), (added, others, isOtherLarge) => {
        const [places, other] = [open(), isOtherLarge ? filled(0) : new PlacesByKey()]
        const before = places.size
        const expected = new Map<string, number[]>()
        for (const [at, text] of added.entries()) {
          const place = 100_000 + at
          expect(places.add(text, place)).toBe(!expected.has(text))
          expected.set(text, [...(expected.get(text) ?? []), place])
        }
        for (const text of others) other.add(text)
        expect(places.size - before).toBe(expected.size)
        for (const text of [...added, ...others]) expect(places.has(text)).toBe(expected.has(text))
        expect([...places.repeated()]).toEqual([...expected.values()].filter((some) => some.length > 1))
        const outside = [...expected].flatMap(([text, all]) => (others.includes(text) ? [] : (all.at(-1) ?? [])))
        expect(places.outside(other).filter((place) => place >= 100_000)).toEqual(outside)
      }),
      { numRuns: 30 },
    )
  })

  it('stay what they were when they become many', () => {
    const places = filled(0)
    expect(places.size).toBe(25_000)
    expect(places.add('filled-7', 70_000)).toBe(false)
    expect([...places.repeated()]).toEqual([[7, 70_000]])
    expect(places.outside(filled(1))).toEqual([0])
    expect(places.has('filled-25000')).toBe(false)
  })

  it('separates texts that are not well-formed', () => {
    const places = filled(0)
    expect([places.add('\ud800'), places.add('\ud801'), places.add('\ufffd'), places.add('\ud800')]).toEqual([
      ...[true, true, true],
      false,
    ])
  })

  it('refuses a place that it cannot hold', () => {
    expect(() => new PlacesByKey().add('a', 2 ** 32)).toThrow('too high')
  })
})
