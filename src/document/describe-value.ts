import { isMap, isScalar, isSeq, type Node } from 'yaml'

const maxQuoted = 40

/** What stands in the file, for a message: as it was written, so that what a reference expanded to is never shown. */
export function describeNode(node: Node | null): string {
  if (isMap(node)) return node.items.length === 0 ? 'an empty mapping' : 'a mapping'
  if (isSeq(node)) return node.items.length === 0 ? 'an empty list' : 'a list'
  if (!isScalar(node) || node.value === null) return 'empty'
  if (typeof node.value === 'string') return isQuotable(node.value) ? JSON.stringify(node.value) : 'a text (not shown)'
  return String(node.value)
}

/** A member's name, unless a value may have slipped into it (`key:CO.…`, the blank forgotten). */
export function describeName(name: string): string {
  return /^[\w.$/<-]{1,40}$/.test(name) ? `\`${name}\`` : 'this key (not shown)'
}

/**
 * Whether a text may stand in a message. A forgotten blank or quote moves a secret to where none belongs
 * (`name: acme` + `key:CO.…` is one text), so anything long, or with a word or sign of secrets in it, is kept back.
 */
function isQuotable(text: string): boolean {
  return text.length <= maxQuoted && !/[@?#\p{Cc}]|\/\/.*:.*\/\/|key\s*:|secret|token|password/isu.test(text)
}
