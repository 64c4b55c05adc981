import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { globOf, matchesGlob } from '../../src/model/glob.ts'

describe('a glob', () => {
  it.each([
    ['acme/payments', 'acme/*', true],
    ['acme/payments', '*/payments', true],
    ['acme/payments', '*', true],
    ['', '*', true],
    ['acme/payments', 'acme', false],
    ['aba', 'ab*ba', false],
    ['abba', 'ab*ba', true],
    ['a.b', 'a?b', false],
    ['a\nb', 'a*b', true],
    ['a*b', 'a\\*b', true],
    ['axb', 'a\\*b', false],
    ['a*xb', 'a\\**b', true],
    ['a\\x', 'a\\x', true],
  ])('%j matches %j: %s', (text, pattern, fits) => expect(matchesGlob(text, pattern)).toBe(fits))

  it('matches the text that it was made of, and no other', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\\', '*') })
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        expect(matchesGlob(text, globOf(text))).toBe(true)
        expect(matchesGlob(other, globOf(text))).toBe(other === text)
      }),
    )
  })

  it('agrees with the equivalent regular expression', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '\n') })
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '*') })
    fc.assert(
      fc.property(texts, patterns, (text, pattern) => {
        expect(matchesGlob(text, pattern)).toBe(new RegExp(`^${pattern.replaceAll('*', '[^]*')}$`).test(text))
      }),
    )
  })
})
