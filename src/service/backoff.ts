/**
 * The wait before try `n + 1` of a request, in milliseconds: random, up to 250 ms · 2ⁿ⁻¹ and at most 10 s. The
 * randomness keeps walks that failed together from returning together.
 */
export function backoffMs(failures: number, random: () => number): number {
  return random() * doubled(250, failures)
}

/** The same for a refused key, never short: three tries must cover the seconds that a database needs to restart. */
export function refusedKeyBackoffMs(failures: number, random: () => number): number {
  return (0.5 + random() / 2) * doubled(1_000, failures)
}

function doubled(baseMs: number, failures: number): number {
  return Math.min(10_000, baseMs * 2 ** (failures - 1))
}
