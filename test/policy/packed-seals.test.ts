import { describe, expect, it } from 'vitest'
import { eachSeal, type FoundSeal, packSeals, shortenSeal } from '../../src/policy/packed-seals.ts'

const unpack = (packed: string): FoundSeal[] => {
  const seals: FoundSeal[] = []
  eachSeal(packed, (rule, short, line) => seals.push({ rule, short, line }))
  return seals
}

describe('packed seals', () => {
  it('come out as they went in, up to the largest values', () => {
    const seals = [
      { rule: 0, short: 0, line: 0 },
      { rule: 255, short: shortenSeal(`sealed:${'f'.repeat(32)}`), line: 2 ** 24 - 1 },
      { rule: 3, short: shortenSeal(`sealed:0123456789abcdef${'0'.repeat(16)}`), line: 77 },
    ]
    expect(unpack(packSeals(seals))).toEqual(seals)
    expect(seals[1]?.short).toBe(2 ** 52 - 1)
    expect(unpack('')).toEqual([])
  })

  it('are refused where a record cannot hold them', () => {
    expect(() => packSeals([{ rule: 256, short: 1, line: 0 }])).toThrow('too many')
    expect(() => packSeals([{ rule: 0, short: 1, line: 2 ** 24 }])).toThrow('too many')
  })
})
