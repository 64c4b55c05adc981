import { describe, expect, it } from 'vitest'
import { eachSeal, type FoundSeal, SealPacker, shortenSeal } from '../../src/policy/packed-seals.ts'

type Placed = FoundSeal & { readonly place: number }

const packAll = (seals: readonly Placed[]): string => {
  const packer = new SealPacker()
  for (const { place, ...seal } of seals) packer.add(seal, place)
  return packer.pack()
}

const unpack = (packed: string): Placed[] => {
  const seals: Placed[] = []
  eachSeal(packed, (seal, place) => void seals.push({ ...seal, place }))
  return seals
}

describe('packed seals', () => {
  it('come out as they went in, up to the largest values', () => {
    const seals = [
      { rule: 0, short: 0, place: 0 },
      { rule: 255, short: shortenSeal(`sealed:${'f'.repeat(32)}`), place: 2 ** 40 - 1 },
      { rule: 3, short: shortenSeal(`sealed:0123456789abcdef${'0'.repeat(16)}`), place: 77 },
    ]
    expect(unpack(packAll(seals))).toEqual(seals)
    expect(seals[1]?.short).toBe(2 ** 48 - 1)
    expect(unpack('')).toEqual([])
    const many = Array.from({ length: 1000 }, (_, place) => ({ rule: 1, short: place * 7, place }))
    expect(unpack(packAll(many))).toEqual(many)
  })

  it('are packed again once there are more', () => {
    const packer = new SealPacker()
    packer.add({ rule: 1, short: 2 }, 3)
    const first = packer.pack()
    expect(packer.pack()).toBe(first)
    packer.add({ rule: 4, short: 5 }, 6)
    expect(unpack(packer.pack()).map(({ place }) => place)).toEqual([3, 6])
  })

  it('are refused where a record cannot hold them', () => {
    expect(() => packAll([{ rule: 256, short: 1, place: 0 }])).toThrow('too many')
    expect(() => packAll([{ rule: 0, short: 1, place: 2 ** 40 }])).toThrow('too many')
  })
})
