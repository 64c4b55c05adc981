/** `1 walk`, `3 walks`; of a kind of resources in words: `2 event types`. */
export function count(number: number, noun: string): string {
  const words = noun.replace('_', ' ')
  return `${number} ${number === 1 ? words : `${words}s`}`
}

/** The counts that are not zero, in the order of the names: `2 critical, 4 high`. Empty when all are zero. */
export function countEach<Name extends string>(names: readonly Name[], counts: Readonly<Record<Name, number>>): string {
  return names
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${name}`)
    .join(', ')
}
