import fc from 'fast-check'
import stringify from 'safe-stable-stringify'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { type Json, pointerStep, setProperty } from '../../src/model/json.ts'

describe('canonical JSON', () => {
  it('gives one text for one value, with its members in any order', () => {
    expect(canonicalJson({ b: 1, a: { d: [3, 1], c: null } })).toBe('{"a":{"c":null,"d":[3,1]},"b":1}')
    expect(canonicalJson({ 9: 'a', 10: 'b' })).toBe('{"10":"b","9":"a"}')
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"x":2}}'))).toBe('{"__proto__":{"x":2},"b":1}')
  })

  it('agrees with an independent writer on every result of JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: Json = JSON.parse(text)
        expect(canonicalJson(value)).toBe(stringify(value))
        expect(JSON.parse(canonicalJson(value))).toEqual(value)
      }),
    )
  })
})

describe('an own property', () => {
  it('is set under any name without changing the prototype', () => {
    const target: Record<string, Json> = {}
    setProperty(target, '__proto__', { polluted: true })
    expect(Object.keys(target)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype)
  })
})

describe('a step of a JSON Pointer', () => {
  it.each([
    ['a', 'a'],
    ['a/b', 'a~1b'],
    ['a~b', 'a~0b'],
    ['~1', '~01'],
  ])('of %s is %s', (key, step) => expect(pointerStep(key)).toBe(step))
})
