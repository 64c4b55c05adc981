import { describe, expect, it } from 'vitest'
import { byCodePoint } from '../../src/history/report-order.ts'

describe('texts by code points', () => {
  it('are in the order of their bytes, as in databases', () => {
    const texts = [
      '',
      'a',
      'ab',
      'b',
      'é',
      '\ud7ff',
      '\ue000',
      '\ufb00y',
      '\uffff',
      '😀',
      '😀x',
      '😁',
      'a😀',
      'a\ufb00',
    ]
    const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(texts.toReversed().sort(byCodePoint)).toEqual(byBytes)
    expect(texts.map((text) => byCodePoint(text, text))).toEqual(texts.map(() => 0))
  })
})
