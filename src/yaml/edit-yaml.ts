import { parseDocument } from 'yaml'
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
    else document.setIn(path, document.createNode(value))
  }
  return document.toString({ lineWidth: 0 })
}
