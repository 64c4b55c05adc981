import { z } from 'zod'
import type { Expand } from '../yaml/node-values.ts'
import { isKeyPath } from './configuration-schema.ts'
import { expandReferences, type ReferenceSources } from './expand-references.ts'
import { readMembers } from './read-members.ts'

/**
 * Reads the keys, tokens and passwords of a configuration, also where other members are wrong. One that cannot be filled
 * in is not known.
 * @throws AuditError.usage when the file cannot be read, or is not YAML
 */
export function readSecrets(file: string, sources: ReferenceSources): readonly string[] {
  const { expand, secrets } = notingSecrets(expandReferences(file, sources))
  readMembers(file, sources, {
    schema: z.unknown(),
    expand(written, path) {
      const expanded = isKeyPath(path) ? expand(written, path) : { text: written }
      return 'text' in expanded ? expanded : { text: written }
    },
  })
  return secrets
}

/** Notes the keys, tokens and passwords that are filled in. */
export function notingSecrets(expand: Expand): { readonly expand: Expand; readonly secrets: readonly string[] } {
  const secrets: string[] = []
  return {
    secrets,
    expand(written, path) {
      const expanded = expand(written, path)
      if ('text' in expanded && isKeyPath(path)) secrets.push(expanded.text)
      return expanded
    },
  }
}
