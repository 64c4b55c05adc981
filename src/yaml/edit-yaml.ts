import { isSeq, parse, parseDocument } from 'yaml'
import type { Json } from '../model/json.ts'

/** Where a member is, and what it becomes; undefined: it is left out. */
export type YamlEdit = readonly [path: readonly (string | number)[], value: Json | undefined]

/**
 * Changes members of a YAML text of ours and keeps the rest as it is written, comments included. `comment` replaces the
 * one at the top.
 */
export function editYaml(text: string, edits: readonly YamlEdit[], comment: string): string {
  const document = parseDocument(text)
  document.commentBefore = comment
  for (const [path, value] of edits) {
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, inOneLine(document.createNode(value)))
  }
  // The blank line before a member that is the first one now.
  return document.toString({ lineWidth: 0 }).replace(/:\n {0,20}\n/g, ':\n')
}

/** Lists of texts are written as people write short ones. */
function inOneLine<Node>(node: Node): Node {
  if (isSeq(node) && node.items.every((item) => !isSeq(item) && !('items' in Object(item)))) node.flow = true
  return node
}

/** Reads a YAML text of ours. */
export function readYaml(text: string): unknown {
  return parse(text)
}
