/**
 * Cuts foreign text for a field of a machine format: at most `longest` characters, then the original length. The JSON
 * report has the whole text.
 */
export function cut(text: string, longest = 4000): string {
  if (text.length <= longest) return text
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest
  return `${text.slice(0, end)}… (${text.length} characters)`
}
