import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../src/model/canonical-json.ts'
import { differingMembers } from '../../src/model/differing-members.ts'
import { isEqual, type Json, type JsonObject } from '../../src/model/json.ts'

const between = (before: JsonObject, after: JsonObject) =>
  differingMembers(canonicalJson(before), canonicalJson(after)).map((text): JsonObject => JSON.parse(text))

/** The members that one side has and the other has not, or has with another value. */
function differing(one: JsonObject, other: JsonObject): string[] {
  return Object.entries(one).flatMap(([key, value]) =>
    Object.hasOwn(other, key) && isEqual(value, other[key] ?? null) ? [] : [key],
  )
}

/** Keys and texts with what JSON escapes, and with what could be taken for its structure. */
const text = fc.oneof(
  fc.constantFrom('', 'a', '\\', '"', ',"', '},{"b":1', '\\",', 'é\ud83d\ude00', '__proto__'),
  fc.string(),
)
// V8 parses the key `\"` as `\` where it expects that one.
const key = text.filter((text) => text !== '\\')
const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'value' },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}))
/** As it is after it was stored. */
const object = fc
  .dictionary(key, value, { maxKeys: 8, noNullPrototype: true })
  .map((value): JsonObject => JSON.parse(canonicalJson(value)))

describe('the members in which two objects differ', () => {
  it('leave out what both share at the beginning and at the end', () => {
    const before = { a: 1, b: { c: [1, 2], d: 'x' }, e: 'y', f: null }
    expect(between(before, { ...before, b: { c: [1, 3], d: 'x' } })).toEqual([
      { b: { c: [1, 2], d: 'x' } },
      { b: { c: [1, 3], d: 'x' } },
    ])
    expect(between(before, before)).toEqual([{}, {}])
    expect(between({}, { a: 1 })).toEqual([{}, { a: 1 }])
    expect(between({ a: 1, c: 3 }, { a: 1, b: 2, c: 3 })).toEqual([{ c: 3 }, { b: 2, c: 3 }])
  })

  it('hold all differences, and values as they were, for any two objects', () => {
    fc.assert(
      fc.property(object, object, fc.array(fc.nat(7)), (first, second, taken) => {
        // Members of the first with some of the second: versions of one thing.
        const changes = Object.entries(second).filter((_, at) => taken.includes(at))
        const after = Object.fromEntries([
          ...Object.entries(first).filter((_, at) => !taken.includes(at + 1)),
          ...changes,
        ])
        for (const [before, later] of [
          [first, after],
          [after, first],
          [first, second],
        ] as const) {
          const [left = {}, right = {}] = between(before, later)
          for (const [part, whole, other] of [
            [left, before, later],
            [right, later, before],
          ] as const) {
            for (const key of Object.keys(part)) expect([key, part[key]]).toEqual([key, whole[key]])
            expect(Object.keys(part)).toEqual(expect.arrayContaining(differing(whole, other)))
          }
          // What is left out is the same on both sides.
          expect(Object.keys(before).filter((key) => !Object.hasOwn(left, key))).toEqual(
            expect.arrayContaining(Object.keys(later).filter((key) => !Object.hasOwn(right, key))),
          )
        }
      }),
      { numRuns: 3000 },
    )
  })
})
