/** `1 walk`, `3 walks`. */
export function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`
}

/** The counts that are not zero, in the order of the names: `2 critical, 4 high`. Empty when all are zero. */
export function countEach<Name extends string>(names: readonly Name[], counts: Readonly<Record<Name, number>>): string {
  return names
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${name}`)
    .join(', ')
}
