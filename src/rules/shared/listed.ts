/** Names in a message: the first five, and how many more there are. */
export function listed(names: readonly string[]): string {
  const left = names.length - 5
  return left > 0 ? `${names.slice(0, 5).join(', ')} and ${left} more` : names.join(', ')
}
