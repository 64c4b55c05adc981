/** Numbers that look random and are the same every time: mulberry32. */
export function seeded(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  const one = <T>(of: readonly T[]): T => {
    const found = of[below(of.length)]
    if (found === undefined) throw new Error('Nothing to choose from')
    return found
  }
  const text = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join('')
  return { below, one, text }
}

export type Seeded = ReturnType<typeof seeded>
