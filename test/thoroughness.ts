const isThorough = (process.env.CI ?? '') !== ''

/** How many tries a random test makes: all of them in CI, a fraction on a contributor's machine. */
export function tries(all: number, { locally }: { readonly locally: number }): number {
  return isThorough ? all : locally
}
