import { describe, expect, it } from 'vitest'
import { parseJson } from '../../src/service/parse-json.ts'
import { aClient, answer, aService, item, pageBody, walk } from './fake-service.ts'

function parsed(text: string): unknown {
  const result = parseJson(Buffer.from(text))
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
    ['uid', 'malformed: page 1: item 1 has no usable uid'],
    ['project_id', 'malformed: page 1: item 1 has no project_id'],
    ['next_page_cursor', 'malformed: page 1: next_page_cursor is not a string'],
  ])('is refused as any number: %s', async (name, fault) => {
    const service = await aService(answer(200, withBig(name, body)))
    expect((await walk(aClient(service.url))).fault).toContain(fault)
  })
})
