import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/gateway/service/parse-json.ts'
import { aClient, answer, aService, item, pageBody, walk } from './fake-service.ts'

const read = (text: string) => parseJson(Buffer.from(text))

function parsed(text: string) {
  const result = read(text)
  return result.ok ? result.value : result.reason
}

describe('numbers of an answer', () => {
  it.each([
    ['1234567890123456789', 'number:1234567890123456789'],
    ['-1234567890123456789', 'number:-1234567890123456789'],
    ['9007199254740993', 'number:9007199254740993'],
    ['1e400', 'number:1e400'],
    ['-1e400', 'number:-1e400'],
    ['1e-400', 'number:1e-400'],
    ['0.12345678901234567890', 'number:0.12345678901234567890'],
    ['1.0', 1],
    ['1e2', 100],
    ['1e+308', 1e308],
    ['-0', -0],
    ['100.00', 100],
    ['0.3333333333333333', 1 / 3],
  ])('are kept exactly as written, as a text beyond a double: %s', (source, value) => {
    expect(parsed(source)).toBe(value)
    expect(parsed(`{"a": [1, ${source}, {"b":${source} }],"c":${source}\n}`)).toEqual({
      a: [1, value, { b: value }],
      c: value,
    })
  })

  it('are found after every kind of text', () => {
    expect(parsed('{"\\\\": "\\"1e400", "1e400": "1e400", "a\\\\": 1e400, "é": "\\u00e9", "n": "number"}')).toEqual({
      '\\': '"1e400',
      '1e400': '1e400',
      'a\\': 'number:1e400',
      é: 'é',
      n: 'number',
    })
  })

  it('differ from texts that look like marked numbers, in every way to write those', () => {
    const lookalikes = ['"number:1e400"', '"\\u006eumber:1e400"', '"n\\u0075mber:1e400"', '"number\\u003a1e400"']
    expect(parsed(`[${lookalikes.join(',')}, 1e400]`)).toEqual([
      ...lookalikes.map(() => 'text:number:1e400'),
      'number:1e400',
    ])
    expect(parsed('["text:number:1e400", "\\u0074ext:number:1e400"]')).toEqual([
      'text:text:number:1e400',
      'text:text:number:1e400',
    ])
    expect(parsed('{"number:1e400" : "number:5", "text:x": "next:"}')).toEqual({
      'number:1e400': 'number:5',
      'text:x': 'next:',
    })
  })

  it('do not hide an unreadable answer', () => {
    expect(parsed('{12345678901234567890: 1}')).toBe('malformed JSON')
    expect(parsed('[012345678901234567890]')).toBe('malformed JSON')
    expect(parsed('[1 12345678901234567890]')).toBe('malformed JSON')
    expect(parsed('[1e400.5]')).toBe('malformed JSON')
    expect(parsed('{"a": 1e400, "a": 1e400}')).toBe('JSON with a key twice in one object')
  })

  it('have no more than 1,000 characters', () => {
    expect(parsed(`[${'1'.repeat(1000)}]`)).toEqual([`number:${'1'.repeat(1000)}`])
    expect(parsed(`[1e${'9'.repeat(999)}]`)).toBe('JSON with a number of more than 1000 characters')
    expect(parsed(`["${'1'.repeat(2000)}"]`)).toEqual(['1'.repeat(2000)])
  })
})

describe('a number where a name belongs', () => {
  const big = '12345678901234567890'
  const withBig = (name: string, body: string) => body.replace(new RegExp(`"${name}":"[^"]*"`), `"${name}":${big}`)
  const body = JSON.stringify(pageBody([item('ep1')], 'next'))

  it.each([
    ['uid', 'malformed: page 1: item 1 has a number as its uid, expected a text'],
    ['project_id', 'malformed: page 1: item 1 has a number as its project_id, expected a text'],
    ['next_page_cursor', 'malformed: page 1: next_page_cursor is not a string'],
  ])('is refused as any number: %s', async (name, fault) => {
    const service = await aService(answer(200, withBig(name, body)))
    expect((await walk(aClient(service.url))).fault).toContain(fault)
  })
})

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
