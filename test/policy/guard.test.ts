import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile, guarded } from '../../src/policy/cel/compile.ts'
import { languageOf } from '../../src/policy/cel/language.ts'
import { tries } from '../thoroughness.ts'

const language = languageOf('subscription')
const { environment } = language
const unmetered = { begin: () => {}, end: () => {}, isSpent: () => false }

/** What the language itself makes of an expression, and what its guarded form gives. */
function both(text: string) {
  const answers = [text, guarded(environment.parse(text).ast)].map((form) => {
    try {
      return language.evaluation.run(unmetered, { now: 0 }, () => environment.parse(form)({}))
    } catch (error) {
      return error instanceof Error ? error.name : 'thrown'
    }
  })
  return { plain: answers[0], guarded: answers[1] }
}

describe('the guarded form of an expression', () => {
  it.each([
    '1 + 2 * 3 - -4 == 11 && !(false || 3 < 2)',
    '(1 + 2) * 3 % 4 == 1 ? "a" : "b"',
    '[1, 2, 3].exists(x, x > 2) && [1, 2].all(x, x in [1, 2, 3])',
    '[1, 2, 3].filter(x, x > 1).map(y, y * 2) == [4, 6]',
    '[1, 2, 3].map(x, x > 1, [x].exists_one(y, y == x))',
    '{"a": 1, "b\\"": 2}["b\\""] + {"c": 3}.c',
    '[[1], [2, 3]].exists(l, l.exists(x, x == 3))',
    '"tenant-7".startsWith("tenant") && "a.b".split(".")[1] == "b" && size("é") == 1',
    '"😀" == "\\U0001F600" && size("a😀") == 2 && "\\u2028\\u0007\\u007f" != ""',
    '1e21 > 1.0 && 1.5e300 > 1e299',
    '0.0000000001 > 0.0 && 1.5e-300 > 0.0 && 0.12345678901 == 0.12345678901',
    "r'\\d+' == '\\\\d+' && b'x' == b'x' && 1.5e3 > 2.0 && null == null && 2u == 2u",
    '[1, 2].all(x, 1 / (x - 1) > 0) || true',
    '[1, 0].exists(x, 1 / x == 1)',
    '[1][3] == 1',
    'true ? (false ? 1 : 2) : 3',
    'days(2) > hours(47) && host("https://a.example/") == "a.example"',
  ])('has the same result: %s', (text) => {
    const { plain, guarded } = both(text)
    expect(guarded).toEqual(plain)
  })

  it('has the same result for random expressions', () => {
    const leaf = fc.oneof(
      fc.integer({ min: -9, max: 9 }).map(String),
      fc.constantFrom('x', '(x)', 'size([x, 1])', '[x, 2][0]', '{"k": x}.k'),
    )
    const { int } = fc.letrec<{ int: string; bool: string }>((tie) => ({
      int: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc
          .tuple(tie('int'), fc.constantFrom('+', '-', '*', '/', '%'), tie('int'))
          .map((parts) => `(${parts.join(' ')})`),
        fc.tuple(tie('bool'), tie('int'), tie('int')).map(([is, one, other]) => `(${is} ? ${one} : ${other})`),
      ),
      bool: fc.oneof(
        { maxDepth: 3 },
        fc.tuple(tie('int'), fc.constantFrom('<', '==', '!=', '>='), tie('int')).map((parts) => parts.join(' ')),
        fc.tuple(tie('bool'), fc.constantFrom('&&', '||'), tie('bool')).map((parts) => `(${parts.join(' ')})`),
        tie('bool').map((is) => `!(${is})`),
      ),
    }))
    const macro = fc.constantFrom('exists', 'all', 'filter', 'map', 'exists_one')
    fc.assert(
      fc.property(int, macro, (text, name) => {
        const body = name === 'map' ? text : `${text} > 1`
        const { plain, guarded } = both(`[1, 2, 3].${name}(x, ${body})`)
        expect(guarded).toEqual(plain)
      }),
      { numRuns: tries(200, { locally: 50 }) },
    )
  })

  it('counts loop rounds where the language would hide errors', () => {
    const long = '[0,1,2,3,4,5,6,7,8,9]'
    const rounds = `${long}.map(a, ${long}.map(b, a + b))`
    const result = compile(`${rounds}.size() > 99 || true`, {
      language,
      kind: 'subscription',
      types: ['bool'],
      expected: 'true or false',
    })
    if (!('compiled' in result)) throw new Error('it does not compile')
    expect(language.evaluation.run(unmetered, { now: 0 }, () => result.compiled.evaluate({}))).toBe(true)
    expect(language.evaluation.steps).toBe(110)
  })
})
