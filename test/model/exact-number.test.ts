import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareNumbers,
  displayJson,
  displayText,
  escapeText,
  exactNumber,
  isExactNumber,
  jsonOfDigits,
  nearestDouble,
  numberText,
  withoutMarks,
} from '../../src/model/exact-number.ts'

const inexact = [
  '9007199254740993',
  '1234567890123456789',
  '-1234567890123456789',
  '12345678901234567890.0',
  '1e400',
  '-1e400',
  '1E+400',
  '1e-400',
  '4e-324',
  '0.12345678901234567890',
  '0.1000000000000000055511151231257827',
  `1e${'9'.repeat(900)}`,
  '1'.repeat(1000),
]

describe('a number that exceeds a double', () => {
  it.each(inexact)('is kept as its text: %s', (source) => {
    expect(exactNumber(source)).toBe(`number:${source}`)
    expect(isExactNumber(`number:${source}`)).toBe(true)
  })

  it('returns its text, and on request its nearest double', () => {
    const marker = exactNumber('-1234567890123456789')
    expect(isExactNumber(marker) && numberText(marker)).toBe('-1234567890123456789')
    expect(['number:1234567890123456789', 'number:-1e400', 'number:1e-400', 'text', 7].map(nearestDouble)).toEqual([
      1234567890123456800,
      Number.NEGATIVE_INFINITY,
      0,
      'text',
      7,
    ])
  })
})

describe('a number that fits a double', () => {
  it.each([
    ['1.0', 1],
    ['100.00', 100],
    ['1e2', 100],
    ['1E+2', 100],
    ['0.1e1', 1],
    ['-0', -0],
    ['-0.0', -0],
    [`0e${'9'.repeat(900)}`, 0],
    ['0.1', 0.1],
    ['0.30000000000000004', 0.1 + 0.2],
    ['0.0000001', 1e-7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['1234567890123456800', 1234567890123456800],
    ['1000000000000000000000000', 1e24],
    ['5e-324', Number.MIN_VALUE],
    ['1.7976931348623157e308', Number.MAX_VALUE],
  ])('stays a number: %s', (source, value) => {
    expect(exactNumber(source)).toBe(value)
    expect(isExactNumber(`number:${source}`)).toBe(false)
  })

  it('may be written in any form', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const digits = Math.abs(value) < 1e21 ? [value.toFixed(0)] : []
        const held = [String(value), value.toExponential(), value.toPrecision(17), ...digits]
        // toPrecision and toFixed may say another decimal, to which the double is only the nearest.
        for (const source of held) {
          const isHeld = isSameDecimal(source, String(Number(source)))
          expect(exactNumber(source)).toBe(isHeld ? Number(source) : `number:${source}`)
        }
      }),
    )
  })
})

/** By whole numbers of any size, which the code itself avoids. */
function isSameDecimal(a: string, b: string): boolean {
  const [x, y] = [a, b].map((text) => {
    const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
    const [whole = '', fraction = ''] = mantissa.split('.')
    return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
  })
  if (x === undefined || y === undefined) return false
  const least = Math.min(x.exponent, y.exponent)
  return x.digits * 10n ** BigInt(x.exponent - least) === y.digits * 10n ** BigInt(y.exponent - least)
}

describe('a text that looks like a kept number', () => {
  it.each([
    'number:',
    'number:5',
    'number:01234567890123456789',
    'number: 1e400',
    'number:1e400 ',
    'Number:1e400',
    'number:NaN',
  ])('is none: %s', (text) => {
    expect(isExactNumber(text)).toBe(false)
    expect(escapeText(text)).toBe(text)
  })

  it('is escaped when it comes from a service, so that it equals no number, and shown as sent', () => {
    const texts = ['number:1e400', 'text:number:1e400', 'text:text:number:1e400', 'text:', 'text:number:5', 'plain']
    const kept = texts.map(escapeText)
    expect(kept).toEqual([
      'text:number:1e400',
      'text:text:number:1e400',
      'text:text:text:number:1e400',
      'text:',
      'text:number:5',
      'plain',
    ])
    expect(kept.filter(isExactNumber)).toEqual([])
    expect(kept.map(displayText)).toEqual(texts)
  })
})

describe('an exact number for people and programs', () => {
  const value = {
    id: 'number:1234567890123456789',
    list: ['number:-1e400', { text: 'say "number:1e400" twice' }, 'text:number:1e400', 'number:5'],
    'number:1e400': 1,
  }

  it('is a number in JSON for people, and no similar text or name is', () => {
    expect(displayJson(value)).toBe(
      '{"id":1234567890123456789,"list":[-1e400,{"text":"say \\"number:1e400\\" twice"},"number:1e400","number:5"],"number:1e400":1}',
    )
  })

  it('is a text of its digits in JSON for programs', () => {
    expect(JSON.parse(jsonOfDigits(JSON.stringify(value, null, 2)))).toEqual({
      id: '1234567890123456789',
      list: ['-1e400', { text: 'say "number:1e400" twice' }, 'number:1e400', 'number:5'],
      'number:1e400': 1,
    })
  })

  it('is its digits within a sentence', () => {
    expect(withoutMarks('was number:1234567890123456789, is number:1e400. The number:5 stays')).toBe(
      'was 1234567890123456789, is 1e400. The number:5 stays',
    )
  })
})

describe('two numbers', () => {
  it.each([
    ['number:1234567890123456789', 'number:1234567890123456788', 1],
    ['number:12345678901234567890', 'number:12345678901234567890.0', 0],
    ['number:-1e400', -5, -1],
    ['number:1e-400', 0, 1],
    ['number:1e401', 'number:1e400', 1],
    ['number:-1e401', 'number:-1e400', -1],
    [2, 10, -1],
    [0, -0, 0],
    [0.5, 'number:0.50000000000000000000001', -1],
  ])('are compared by value and not as doubles: %s and %s', (one, other, sign) => {
    expect(Math.sign(compareNumbers(one, other) ?? Number.NaN)).toBe(sign)
    expect(Math.sign(compareNumbers(other, one) ?? Number.NaN)).toBe(sign === 0 ? 0 : -sign)
  })

  it('are not compared when one is not a number', () => {
    expect(compareNumbers('5', 5)).toBe(undefined)
    expect(compareNumbers('number:5', 5)).toBe(undefined)
    expect(compareNumbers(null, 5)).toBe(undefined)
  })
})
