/** Names in a message: the first five, and how many more there are. */
export function listed(names: readonly string[]): string {
  const omitted = names.length - 5
  return omitted > 0 ? `${names.slice(0, 5).join(', ')} and ${omitted} more` : names.join(', ')
}
