import fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { isEqual, type Json, withValueAt } from '../../src/model/json.ts'

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>

it('equal values are those with the same canonical text', () => {
  const pairs = fc.tuple(json, json).chain(([a, b]) => fc.constantFrom([a, b], [a, structuredClone(a)]))
  fc.assert(
    fc.property(pairs, ([a = null, b = null]) => {
      expect(isEqual(a, b)).toBe(canonicalJson(a) === canonicalJson(b))
    }),
  )
})

it.each<[boolean, string, string]>([
  [true, '{"a":1,"b":[1,{"c":null}]}', '{"b":[1,{"c":null}],"a":1}'],
  [false, '{"a":null}', '{"b":null}'],
  [false, '{"a":1}', '{"a":1,"b":null}'],
  [false, '[]', '{}'],
  [false, '{"0":1}', '[1]'],
  [false, '[1,2]', '[2,1]'],
  [true, '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
  [false, '{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}'],
  [false, '{"__proto__":1}', '{"toString":1}'],
  [true, '-0', '0'],
])('%s: %s and %s', (expected, a, b) => {
  expect(isEqual(JSON.parse(a), JSON.parse(b))).toBe(expected)
})

it('a value set within something else than an object makes objects on the way, and none where it is unset', () => {
  expect(withValueAt({ a: 1 }, '/a/b/c', true)).toEqual({ a: { b: { c: true } } })
  expect(withValueAt({ a: { b: 1, c: 2 } }, '/a/b', undefined)).toEqual({ a: { c: 2 } })
})
