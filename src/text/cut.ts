/**
 * A text of others for a machine's field: at most `longest` characters and, where it was longer, how many there were.
 * The JSON report holds all of it.
 */
export function cut(text: string, longest = 4000): string {
  if (text.length <= longest) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length} characters)`
}
