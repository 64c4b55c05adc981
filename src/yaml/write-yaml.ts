import { Document, isSeq, parse, parseDocument, visit } from 'yaml'
import type { Json } from '../model/json.ts'
import type { NodePath } from './node-values.ts'

/** Writes a value as YAML for review: a line for each member, texts of several lines as blocks, no aliases. */
export function writeYaml(value: Json): string {
  const document = new Document(value, { aliasDuplicateObjects: false, version: '1.2', schema: 'core' })
  visit(document, {
    // As a block, lines of blanks would lose some, or be no YAML.
    Scalar(_, node) {
      if (typeof node.value === 'string' && node.value.trim() === '') node.type = 'QUOTE_DOUBLE'
    },
  })
  return document.toString({ lineWidth: 0 })
}

interface AnnotatedValue {
  readonly path: NodePath
  readonly value: Json
  readonly comment: string
}

/** Writes values as one YAML document, each with a comment behind it. */
export function writeAnnotated(values: readonly AnnotatedValue[]): string {
  const document = new Document({})
  for (const { path, value, comment } of values) {
    const node = document.createNode(value)
    if (isSeq(node)) node.flow = true
    node.comment = ` ${comment}`
    document.setIn(path, node)
  }
  return document.toString({ lineWidth: 0 })
}

/** Where a member is, and what it becomes; undefined: it is left out. */
type YamlEdit = readonly [path: readonly (string | number)[], value: Json | undefined]

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

/** Reads a YAML text of ours. */
export function readYaml(text: string): unknown {
  return parse(text)
}

/** Lists of texts are written as people write short ones. */
function inOneLine<Node>(node: Node): Node {
  if (isSeq(node) && node.items.every((item) => !isSeq(item) && !('items' in Object(item)))) node.flow = true
  return node
}
