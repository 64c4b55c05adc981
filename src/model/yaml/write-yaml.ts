import { Document, isSeq, parse, visit } from 'yaml'
import type { Json } from '../json.ts'
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

/** Reads a YAML text of ours. */
export function readYaml(text: string): unknown {
  return parse(text)
}
