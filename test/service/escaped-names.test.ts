import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/service/parse-json.ts'

const read = (text: string) => parseJson(Buffer.from(text))

/** `JSON.parse` of Node 24 takes some of these names for others that it met before. */
describe('names with escapes', () => {
  it('are read as they are written, next to names that were read before', () => {
    read('{"h":[],"\\\\":0}')
    for (const name of ['"', '\n', '\\', '\u0001', '\\n']) {
      const text = JSON.stringify({ h: 1, [name]: 2 })
      const parsed = read(text)
      expect([name, parsed.ok && JSON.stringify(parsed.value)]).toEqual([name, text])
    }
  })

  it('are read exactly, next to any other', () => {
    const part = fc.constantFrom('"', '\\', '\n', 'a', 'name:', 'name:0', '0', 'number:1', '\ud83d\ude00', '__proto__')
    const name = fc.array(part, { maxLength: 3 }).map((parts) => parts.join(''))
    const members = fc.uniqueArray(fc.tuple(name, fc.constantFrom('{}', '[{"\\"":1}]', '1', '"a\\n"')), {
      selector: ([one]) => one,
    })
    fc.assert(
      fc.property(members, (given) => {
        const parsed = read(`{${given.map(([one, value]) => `${JSON.stringify(one)}:${value}`).join(',')}}`)
        if (!parsed.ok) throw new Error(parsed.reason)
        const found = Object.entries(parsed.value as object).map(([one, value]) => `${one} ${JSON.stringify(value)}`)
        expect(found.sort()).toEqual(given.map(([one, value]) => `${one} ${value}`).sort())
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['{"\\u0061":1,"a":2}', 'JSON with a key twice in one object'],
    ['{"\\n":1,"\\u000a":2}', 'JSON with a key twice in one object'],
    ['{"\\q":1}', 'malformed JSON'],
    ['{"a" "\\n":1}', 'malformed JSON'],
    ['["\\n":1]', 'malformed JSON'],
    ['{"\\n":1,}', 'malformed JSON'],
    ['{"a\nb\\n":1}', 'malformed JSON'],
  ])('are refused where plain ones would be: %s', (text, reason) => {
    expect(read(text)).toEqual({ ok: false, reason, isCutOff: false })
  })

  it('keep the numbers behind them exact', () => {
    expect(read('{"a\\n":12345678901234567890}')).toEqual({ ok: true, value: { 'a\n': 'number:12345678901234567890' } })
  })
})
