import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../../src/model/glob.ts'

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
  ])('%j matches %j: %s', (text, pattern, fits) => expect(matchesGlob(text, pattern)).toBe(fits))

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
