import { describe, expect, it } from 'vitest'
import { shorten } from '../../src/report/text/shorten.ts'

describe('a text that is cut', () => {
  it.each([
    ['as it is where it fits', 'twelve chars', 12, 'twelve chars'],
    ['after the last word that fits', 'a retry setting that hammers customers', 32, 'a retry setting that hammers…'],
    ['within a word where the last one ended long before', `a ${'x'.repeat(20)}`, 12, 'a xxxxxxxxx…'],
    ['between characters, not within one', '😀'.repeat(5), 3, '😀😀…'],
  ])('stays %s', (_, text, longest, shown) => {
    expect(shorten(text, longest)).toBe(shown)
  })
})
