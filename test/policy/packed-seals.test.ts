import { describe, expect, it } from 'vitest'
import { eachSeal, type FoundSeal, SealPacker, shortenSeal } from '../../src/policy/packed-seals.ts'

const packAll = (seals: readonly FoundSeal[]): string => {
  const packer = new SealPacker()
  for (const seal of seals) packer.add(seal)
  return packer.pack()
}

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
    expect(unpack(packAll(seals))).toEqual(seals)
    expect(seals[1]?.short).toBe(2 ** 52 - 1)
    expect(unpack('')).toEqual([])
    const many = Array.from({ length: 1000 }, (_, line) => ({ rule: 1, short: line * 7, line }))
    expect(unpack(packAll(many))).toEqual(many)
  })

  it('are refused where a record cannot hold them', () => {
    expect(() => packAll([{ rule: 256, short: 1, line: 0 }])).toThrow('too many')
    expect(() => packAll([{ rule: 0, short: 1, line: 2 ** 24 }])).toThrow('too many')
  })
})
