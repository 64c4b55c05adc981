import { z } from 'zod'
import type { Expand } from '../yaml/node-values.ts'
import { type ReadDocument, readDocument } from '../yaml/read-document.ts'
import { configurationLimits, isKeyPath, isSecretPath } from './configuration-schema.ts'
import { expandReferences, type ReferenceSources, readConfigurationText } from './expand-references.ts'

/** What a command reads of a configuration that it does not need as a whole. */
interface Selection<S extends z.ZodType> {
  /** Loose: members that it leaves out may be wrong. */
  readonly schema: S
  /** Fills in the references that are needed. Default: none. */
  readonly expand?: Expand
  /** What to do when there is no configuration. */
  readonly advice?: string
}

/**
 * Reads some members of a configuration, also where others are wrong, or name variables that are not set.
 * @throws AuditError.usage when the file cannot be read or is not YAML, or with a line for every mistake in the members
 */
export function readMembers<S extends z.ZodType>(
  file: string,
  sources: ReferenceSources,
  { schema, expand = asWritten, advice = 'name another configuration with --config' }: Selection<S>,
): ReadDocument<z.output<S>> {
  const { text, ...origin } = readConfigurationText(file, sources, advice)
  return readDocument(text, {
    ...origin,
    file,
    schema,
    expand,
    takesAnyName: true,
    limits: configurationLimits,
    isSecret: isSecretPath,
  })
}

function asWritten(text: string): ReturnType<Expand> {
  return { text }
}

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
