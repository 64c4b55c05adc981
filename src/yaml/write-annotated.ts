import { Document, isSeq } from 'yaml'
import type { Json } from '../model/json.ts'
import type { NodePath } from './node-values.ts'

export interface AnnotatedValue {
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
