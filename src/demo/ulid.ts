import type { Random } from './random.ts'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID: 10 digits of time, 16 random ones, so that uids sort by creation. */
export function ulid(timeMs: number, random: Random): string {
  let time = ''
  for (let rest = timeMs, digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32))
    time = alphabet.charAt(rest % 32) + time
  let chance = ''
  while (chance.length < 16) {
    let bits = random.bits()
    for (let digit = 0; digit < 6 && chance.length < 16; digit++, bits >>>= 5) chance += alphabet.charAt(bits & 31)
  }
  return time + chance
}
