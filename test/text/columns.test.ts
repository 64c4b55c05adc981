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
  ])('count %s as %i', (text, columns) => {
    expect(widthOf(text)).toBe(columns)
  })

  it('pad by columns, and leave wider text unchanged', () => {
    expect(padColumns('漢', 4)).toBe('漢  ')
    expect(padColumns('longer', 4)).toBe('longer')
  })

  it('wrap between pieces and keep a piece whole, even one that is too wide', () => {
    expect(wrapPieces(['one', 'a b', 'https://wide.example', 'x'], 8)).toEqual(['one a b', 'https://wide.example', 'x'])
  })

  it('keep a number together with its noun', () => {
    expect(wrapProse('allows at most 60 s', 17)).toEqual(['allows at most', '60 s'])
  })

  it('make no line of blanks', () => {
    expect(wrapProse('   ', 10)).toEqual([])
  })
})
