/** The anchor of a thing on a page: a prefix and its name, in which other characters than those of a link become `_`. */
export function anchorOf(prefix: string, name: string): string {
  return `${prefix}-${name.replace(/[^\w/.-]/g, '_')}`
}
