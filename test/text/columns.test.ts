import { describe, expect, it } from 'vitest'
import { padColumns, widthOf, wrapPieces, wrapProse } from '../../src/text/columns.ts'

describe('columns', () => {
  it.each([
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['漢字', 4],
    ['ｆｕｌｌ', 8],
    ['한글', 4],
    ['👍', 2],
    ['🇩🇪', 2],
    ['→ …', 3],
  ])('counts %s as %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })

  it('pads by columns, and leaves alone what is wider', () => {
    expect(padColumns('漢', 4)).toBe('漢  ')
    expect(padColumns('longer', 4)).toBe('longer')
  })

  it('wraps between pieces and keeps a piece whole, even one that is too wide', () => {
    expect(wrapPieces(['one', 'a b', 'https://wide.example', 'x'], 8)).toEqual(['one a b', 'https://wide.example', 'x'])
  })

  it('keeps a number with what it counts', () => {
    expect(wrapProse('allows at most 60 s', 17)).toEqual(['allows at most', '60 s'])
  })

  it('makes no line of blanks', () => {
    expect(wrapProse('   ', 10)).toEqual([])
  })
})
