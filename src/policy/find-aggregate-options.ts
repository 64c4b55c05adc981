import { rules } from '../rules/rules.ts'
import type { FileProblem } from '../yaml/problem.ts'
import type { ReadDocument } from '../yaml/read-document.ts'
import type { Layer } from './layer.ts'

/** A rule across resources evaluates them together: it cannot have other options for some of them. */
export function* findAggregateOptions(
  { problem }: ReadDocument<unknown>,
  overrides: readonly { readonly layer: Layer }[],
): Generator<FileProblem> {
  for (const [index, { layer }] of overrides.entries()) {
    for (const [id, { setting }] of layer) {
      const isFold = rules.some((rule) => rule.id === id && (rule.scope === 'project' || rule.scope === 'fleet'))
      if (!isFold || typeof setting === 'string') continue
      for (const option of Object.keys(setting).filter((key) => key !== 'severity')) {
        const text = `\`${option}\` of ${id} cannot differ between resources that it evaluates together; set it under \`rules\``
        yield problem(['overrides', index, 'rules', id, option], text, 'key')
      }
    }
  }
}
