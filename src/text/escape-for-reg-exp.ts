/** Makes text match itself in a regular expression (`RegExp.escape` is not in Node 22). */
export function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
