import type { z } from 'zod'
import type { Expand } from '../yaml/node-values.ts'
import { type ReadDocument, readDocument } from '../yaml/read-document.ts'
import { configurationLimits, isSecretPath } from './configuration-schema.ts'
import { type ReferenceSources, readConfigurationText } from './expand-references.ts'

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
