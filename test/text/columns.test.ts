import { describe, expect, it } from 'vitest'
import { padColumns, widthOf, wrapLine, wrapPieces, wrapProse } from '../../src/model/text/columns.ts'

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

  it('end a line before a bracket, and not within a command', () => {
    expect(wrapProse('until 2027-02-20 (OPS-471)', 18)).toEqual(['until 2027-02-20', '(OPS-471)'])
    expect(wrapProse('run `hookdrift docs TOPIC` now, `a', 25)).toEqual(['run', '`hookdrift docs TOPIC`', 'now, `a'])
  })

  it('go on below the last column of a line', () => {
    expect(wrapLine('  name  what it is and does', 28)).toEqual(['  name  what it is and does'])
    expect(wrapLine('  name  what it is and what it does', 30)).toEqual([
      '  name  what it is and what it',
      '        does',
    ])
    expect(wrapLine('  a line of prose', 12)).toEqual(['  a line of', '  prose'])
  })

  it('make no line of blanks', () => {
    expect(wrapProse('   ', 10)).toEqual([])
  })
})
